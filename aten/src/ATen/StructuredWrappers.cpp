#include <ATen/StructuredWrappers.h>

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/util/Exception.h>

namespace at {

namespace structured {

Tensor CPU::make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  const auto dtype = c10::typeMetaToScalarType(options.dtype());
  return strides.empty() ? Tensor(detail::empty_cpu(sizes, dtype, options.memory_format_opt()))
                         : Tensor(detail::empty_strided_cpu(sizes, strides, dtype));
}

Tensor Meta::make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  const auto dtype = c10::typeMetaToScalarType(options.dtype());
  return strides.empty() ? Tensor(detail::empty_meta(sizes, dtype, options.memory_format_opt()))
                         : Tensor(detail::empty_strided_meta(sizes, strides, dtype));
}

Tensor Default::make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return strides.empty() ? at::empty(sizes, options) : at::empty_strided(sizes, strides, options);
}

Tensor OnDevice::make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  const auto dtype = c10::typeMetaToScalarType(options.dtype());
  return strides.empty()
      ? Tensor(detail::empty_on(options.device(), sizes, dtype, options.memory_format_opt()))
      : Tensor(detail::empty_strided_on(options.device(), sizes, strides, dtype));
}

Tensor OnCurrentDevice::make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return OnDevice::make(sizes, strides, options);
}

void OnCurrentDevice::enter(c10::Device device) {
  const auto current = guard_.current_device();
  if (!current) {
    guard_.reset_device(device);
    return;
  }
  TORCH_INTERNAL_ASSERT(
      !device.has_index() || *current == device,
      "the outputs of a structured operator are on one device, but ", device, " comes after ",
      *current);
}

void check_inplace(const Tensor& self, IntArrayRef sizes, const TensorOptions& options) {
  TORCH_CHECK(
      options.dtype() == self.dtype(), "Bad in-place call: input tensor dtype ", self.dtype(),
      " and output tensor dtype ", options.dtype(), " should match");
  TORCH_CHECK(
      options.device() == self.device(), "Bad in-place call: input tensor device ", self.device(),
      " and output tensor device ", options.device(), " should match");
  TORCH_CHECK(
      sizes == self.sizes(), "Bad in-place call: input tensor size ", self.sizes(),
      " and output tensor size ", sizes, " should match");
}

void resize_out(
    const Tensor& out, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  TORCH_CHECK(
      options.dtype() == out.dtype(), "Expected out tensor to have dtype ", options.dtype(),
      ", but got ", out.dtype(), " instead");
  TORCH_CHECK(
      options.device() == out.device(), "Expected out tensor to have device ", options.device(),
      ", but got ", out.device(), " instead");
  const bool resized = native::resize_output(out, sizes);
  if (!resized) {
    return;
  }
  if (!strides.empty()) {
    out.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  } else if (options.memory_format_opt().has_value()) {
    out.unsafeGetTensorImpl()->empty_tensor_restride(*options.memory_format_opt());
  }
}

bool has_other_strides(const Tensor& out, IntArrayRef sizes, IntArrayRef strides) {
  if (strides.empty()) {
    return !out.is_contiguous();
  }
  return out.numel() > 0 && sizes.size() > 0 && out.strides() != strides;
}

void copy_back(const Tensor& out, const Tensor& computed) {
  at::methods::copy_(out, computed);
}

} // namespace structured
} // namespace at
