// sin and cos.

#include <ATen/cpu/vec/vec_trig.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/UnaryLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void sin_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "sin_vml_cpu", [](auto x) { return vec::sin(x); }, [](auto z) { return std::sin(z); });
}

void cos_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "cos_vml_cpu", [](auto x) { return vec::cos(x); }, [](auto z) { return std::cos(z); });
}

} // namespace

REGISTER_DISPATCH(sin_stub, &sin_kernel)
REGISTER_DISPATCH(cos_stub, &cos_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
