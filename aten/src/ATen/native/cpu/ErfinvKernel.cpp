#include <ATen/native/ElementaryMath.h>
#include <ATen/native/UnaryOps.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void erfinv_kernel(TensorIteratorBase& iter) {
  map_elementary(iter, Elementary::Erfinv, "erfinv_vml_cpu");
}

} // namespace

REGISTER_DISPATCH(erfinv_stub, &erfinv_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
