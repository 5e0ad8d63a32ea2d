#include <torch/csrc/autograd/input_metadata.h>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace torch::autograd {

namespace {

// Zero, which is the default stream, for devices without streams.
c10::StreamId current_stream_id(at::Device device) {
  if (C10_LIKELY(device.type() == c10::default_device_type)) return 0;
  if (!device.has_index() || !c10::impl::hasDeviceGuardImpl(device.type())) return 0;
  return c10::impl::getDeviceGuardImpl(device.type())->getStream(device).id();
}

} // namespace

InputMetadata::InputMetadata(const at::Tensor& tensor)
    : shape_(tensor.sizes()),
      dtype_(tensor.scalar_type()),
      grad_dtype_(dtype_),
      device_(tensor.device()),
      valid_(true),
      stream_id_(current_stream_id(device_)) {}

InputMetadata::InputMetadata(const at::TensorOptions& options, at::IntArrayRef shape)
    : shape_(shape),
      dtype_(options.dtype().toScalarType()),
      grad_dtype_(dtype_),
      device_(options.device()),
      valid_(true),
      stream_id_(current_stream_id(device_)) {}

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
