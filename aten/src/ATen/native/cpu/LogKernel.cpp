// log and log1p.

#include <ATen/cpu/vec/vec_log.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/UnaryLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void log_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "log_vml_cpu", [](auto x) { return vec::log(x); }, [](auto z) { return std::log(z); });
}

void log1p_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "log1p_vml_cpu", [](auto x) { return vec::log1p(x); },
      [](auto z) { return std::log1p(z); });
}

} // namespace

REGISTER_DISPATCH(log_stub, &log_kernel)
REGISTER_DISPATCH(log1p_stub, &log1p_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
