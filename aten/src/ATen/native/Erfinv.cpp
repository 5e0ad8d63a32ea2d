#include <ATen/TensorIterator.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/ops/erfinv_native.h>

namespace at::meta {

TORCH_META_FUNC(erfinv)(const Tensor& self) {
  build_borrowing_unary_float_op(maybe_get_output(), self);
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(erfinv_stub);

TORCH_IMPL_FUNC(erfinv_out)(const Tensor&, const Tensor&) {
  erfinv_stub(device_type(), *this);
}

} // namespace at::native
