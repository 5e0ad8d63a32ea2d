#include <ATen/TensorIterator.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/ops/xlogy_native.h>

namespace at::meta {

TORCH_META_FUNC2(xlogy, Tensor)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_float_op(maybe_get_output(), self, other);
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(xlogy_stub);

TORCH_IMPL_FUNC(xlogy_out)(const Tensor&, const Tensor&, const Tensor&) {
  xlogy_stub(device_type(), *this);
}

} // namespace at::native
