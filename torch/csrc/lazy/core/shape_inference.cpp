#include <torch/csrc/lazy/core/shape_inference.h>

#include <ATen/EmptyTensor.h>
#include <c10/core/TensorImpl.h>

namespace torch::lazy {

at::Tensor to_meta(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return tensor;
  }
  at::Tensor meta(
      at::detail::empty_strided_meta(tensor.sizes(), tensor.strides(), tensor.scalar_type()));
  meta.unsafeGetTensorImpl()->set_wrapped_number(tensor.unsafeGetTensorImpl()->is_wrapped_number());
  return meta;
}

std::optional<at::Tensor> to_meta(const std::optional<at::Tensor>& tensor) {
  return tensor ? std::optional(to_meta(*tensor)) : std::nullopt;
}

std::vector<at::Tensor> to_meta(at::TensorList tensors) {
  std::vector<at::Tensor> metas;
  metas.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    metas.push_back(to_meta(tensor));
  }
  return metas;
}

} // namespace torch::lazy
