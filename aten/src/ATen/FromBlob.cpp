#include <ATen/FromBlob.h>

#include <ATen/EmptyTensor.h>
#include <ATen/core/DimVector.h>

#include <memory>

namespace at {
namespace {

struct Blob {
  void* data;
  Deleter deleter;

  static void release(void* context) {
    const std::unique_ptr<Blob> blob(static_cast<Blob*>(context));
    if (blob->deleter) blob->deleter(blob->data);
  }
};

} // namespace

Tensor from_blob(
    void* data, IntArrayRef sizes, IntArrayRef strides, const Deleter& deleter,
    const TensorOptions& options) {
  TORCH_CHECK(
      sizes.size() == strides.size(), "from_blob: expected as many strides as sizes, but got ",
      strides.size(), " and ", sizes.size());
  const ScalarType type = c10::typeMetaToScalarType(options.dtype());
  const c10::Device device = options.device();
  const size_t bytes = c10::computeStorageNbytes(sizes, strides, c10::elementSize(type));
  auto blob = std::make_unique<Blob>(Blob{data, deleter});
  c10::DataPtr memory(data, blob.release(), &Blob::release, device);
  Tensor tensor(detail::empty_on(device, {0}, type));
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(
      c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(memory)));
  impl->set_sizes_and_strides(sizes, strides);
  if (options.requires_grad()) tensor.set_requires_grad(true);
  return tensor;
}

Tensor from_blob(
    void* data, IntArrayRef sizes, const Deleter& deleter, const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), deleter, options);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return from_blob(data, sizes, strides, Deleter(), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), Deleter(), options);
}

} // namespace at
