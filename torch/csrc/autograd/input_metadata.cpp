#include <torch/csrc/autograd/input_metadata.h>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

namespace torch::autograd {

InputMetadata::InputMetadata(const at::Tensor& tensor)
    : shape_(tensor.sizes()),
      dtype_(tensor.scalar_type()),
      grad_dtype_(dtype_),
      device_(tensor.device()),
      valid_(true) {}

InputMetadata::InputMetadata(const at::TensorOptions& options, at::IntArrayRef shape)
    : shape_(shape),
      dtype_(options.dtype().toScalarType()),
      grad_dtype_(dtype_),
      device_(options.device()),
      valid_(true) {}

bool InputMetadata::is_expandable_to_shape(const at::Tensor& grad) const {
  return at::is_expandable_to(shape(), grad.sizes());
}

at::Tensor InputMetadata::zeros_like() const {
  return at::zeros(shape(), options());
}

at::Tensor InputMetadata::reduce_grad(const at::Tensor& grad) const {
  return at::sum_to(grad, shape());
}

std::string InputMetadata::incompatible_shape_error_message(
    size_t index, const at::Tensor& grad) const {
  return c10::str(
      "invalid gradient at index ", index, " - got ", grad.sizes(),
      " but expected shape compatible with ", shape());
}

} // namespace torch::autograd
