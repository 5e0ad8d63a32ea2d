// sqrt, rsqrt and reciprocal.

#include <ATen/cpu/vec/vec_machine.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/UnaryLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void sqrt_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "sqrt_vml_cpu", [](auto x) { return vec::sqrt(x); },
      [](auto z) { return std::sqrt(z); });
}

void rsqrt_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "rsqrt_cpu", [](auto x) { return vec::rsqrt(x); },
      [](auto z) { return decltype(z)(1) / std::sqrt(z); });
}

void reciprocal_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "reciprocal_cpu", [](auto x) { return vec::element_of<decltype(x)>(1) / x; },
      [](auto z) { return decltype(z)(1) / z; });
}

} // namespace

REGISTER_DISPATCH(sqrt_stub, &sqrt_kernel)
REGISTER_DISPATCH(rsqrt_stub, &rsqrt_kernel)
REGISTER_DISPATCH(reciprocal_stub, &reciprocal_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
