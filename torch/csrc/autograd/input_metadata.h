#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>
#include <c10/util/SmallVector.h>

#include <optional>
#include <string>

namespace torch::autograd {

// The properties a node expects of a gradient: shape, dtype and device of the corresponding output,
// and the stream that computed the output.
struct TORCH_API InputMetadata {
  // For an output that is undefined or carries no gradient.
  InputMetadata() = default;
  explicit InputMetadata(const at::Tensor& tensor);
  InputMetadata(const at::TensorOptions& options, at::IntArrayRef shape);

  bool was_default_constructed() const { return !valid_; }
  at::IntArrayRef shape() const { return {shape_.data(), shape_.size()}; }
  at::TensorOptions options() const { return at::TensorOptions().dtype(dtype_).device(device_); }
  at::ScalarType dtype() const { return dtype_; }
  at::Device device() const { return device_; }
  at::Layout layout() const { return at::kStrided; }
  // The stream that was current on the device when the node was made; nullopt on the CPU.
  std::optional<c10::Stream> stream() const {
    if (device_.type() == c10::default_device_type) return std::nullopt;
    return c10::Stream(c10::Stream::UNSAFE, device_, stream_id_);
  }

  // The dtype that gradients are cast to: the output's dtype; nullopt accepts any.
  std::optional<at::ScalarType> grad_dtype() const {
    return grad_dtype_ == at::ScalarType::Undefined ? std::nullopt : std::optional(grad_dtype_);
  }
  void set_grad_dtype(std::optional<at::ScalarType> dtype) {
    grad_dtype_ = dtype.value_or(at::ScalarType::Undefined);
  }

  // Whether a gradient can be used without conversion.
  bool accepts(const at::Tensor& grad) const {
    return grad.scalar_type() == grad_dtype_ && grad.device() == device_ && is_same_shape(grad);
  }
  bool is_same_shape(const at::Tensor& grad) const { return grad.sizes() == shape(); }
  bool is_expandable_to_shape(const at::Tensor& grad) const;
  at::Tensor zeros_like() const;
  // Sums a gradient with a broadcast shape to this shape.
  at::Tensor reduce_grad(const at::Tensor& grad) const;
  std::string incompatible_shape_error_message(size_t index, const at::Tensor& grad) const;

 private:
  c10::SmallVector<int64_t, 4> shape_;
  at::ScalarType dtype_ = at::ScalarType::Undefined;
  at::ScalarType grad_dtype_ = at::ScalarType::Undefined;
  at::Device device_ = at::Device(c10::default_device_type);
  bool valid_ = false;
  c10::StreamId stream_id_ = 0;
};

} // namespace torch::autograd
