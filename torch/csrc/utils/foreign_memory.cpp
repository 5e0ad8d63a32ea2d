#include <torch/csrc/utils/foreign_memory.h>

#include <ATen/EmptyTensor.h>

namespace torch {

at::Tensor tensor_over_memory(
    void* data, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type, void* context,
    void (*release)(void*), c10::Device device) {
  const size_t bytes = c10::computeStorageNbytes(sizes, strides, c10::elementSize(type));
  c10::DataPtr memory(data, context, release, device);
  at::Tensor tensor(at::detail::empty_on(device, {0}, type));
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(
      c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(memory)));
  impl->set_sizes_and_strides(sizes, strides);
  return tensor;
}

} // namespace torch
