#include <ATen/native/ScalarMath.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void erfinv_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "erfinv_vml_cpu", [&]<typename T>(T) {
    cpu_kernel(
        iter, [](T y) -> T { return static_cast<T>(scalar_math::erfinv(static_cast<double>(y))); });
  });
}

} // namespace

REGISTER_DISPATCH(erfinv_stub, &erfinv_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
