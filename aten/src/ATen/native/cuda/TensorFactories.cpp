// Uninitialized CUDA tensors, and numbers that go from the device to the host.

#include <ATen/DeterministicFill.h>
#include <ATen/ScalarValue.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/EmptyTensor.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/empty_native.h>
#include <ATen/ops/empty_strided_native.h>
#include <c10/core/CopyBytes.h>

namespace at::native {

Tensor empty_cuda(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> memory_format) {
  return uninitialized(
      Tensor(at::detail::empty_cuda(size, dtype, layout, device, pin_memory, memory_format)));
}

Tensor empty_strided_cuda(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return uninitialized(
      Tensor(at::detail::empty_strided_cuda(size, stride, dtype, layout, device, pin_memory)));
}

Scalar _local_scalar_dense_cuda(const Tensor& self) {
  TORCH_CHECK(self.numel() > 0, "_local_scalar_dense: an empty tensor has no element");
  alignas(16) char value[16];
  c10::CopyBytes(
      self.itemsize(), self.const_data_ptr(), self.device(), value, Device(kCPU), /*async=*/false);
  return value_to_scalar(value, self.scalar_type());
}

} // namespace at::native
