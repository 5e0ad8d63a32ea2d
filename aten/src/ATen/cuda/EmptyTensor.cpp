#include <ATen/cuda/EmptyTensor.h>

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::detail {

namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::CUDA);

Device checked_device(std::optional<Device> device) {
  globalContext().lazyInitDevice(kCUDA);
  const Device wanted = c10::device_or_default(device);
  TORCH_INTERNAL_ASSERT(wanted.is_cuda(), "expected a CUDA device but got ", wanted);
  return wanted;
}

void check_options(std::optional<Layout> layout, std::optional<bool> pin_memory) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::layout_or_default(layout) == kStrided, "expected a strided layout but got ",
      c10::layout_or_default(layout));
  TORCH_CHECK(!c10::pinned_memory_or_default(pin_memory), "Only dense CPU tensors can be pinned");
}

} // namespace

TensorBase empty_cuda(
    IntArrayRef size, ScalarType dtype, std::optional<Device> device,
    std::optional<MemoryFormat> format) {
  const c10::cuda::CUDAGuard guard(checked_device(device));
  return empty_generic(size, cuda::getCUDADeviceAllocator(), kKeys, dtype, format);
}

TensorBase empty_cuda(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> format) {
  check_options(layout, pin_memory);
  return empty_cuda(size, c10::dtype_or_default(dtype), device, format);
}

TensorBase empty_cuda(IntArrayRef size, const TensorOptions& options) {
  return empty_cuda(
      size, options.scalar_type_opt(), options.layout_opt(), options.device_opt(),
      options.pinned_memory_opt(), options.memory_format_opt());
}

TensorBase empty_strided_cuda(
    IntArrayRef size, IntArrayRef stride, ScalarType dtype, std::optional<Device> device) {
  const c10::cuda::CUDAGuard guard(checked_device(device));
  return empty_strided_generic(size, stride, cuda::getCUDADeviceAllocator(), kKeys, dtype);
}

TensorBase empty_strided_cuda(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  check_options(layout, pin_memory);
  return empty_strided_cuda(size, stride, c10::dtype_or_default(dtype), device);
}

} // namespace at::detail
