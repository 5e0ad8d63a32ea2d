#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/OptionalArrayRef.h>

namespace at::native {

// Resizes an out= tensor to the shape of the result. Warns if that reshapes a tensor with elements;
// returns whether anything changed.
TORCH_API bool resize_output_slow(const Tensor& output, IntArrayRef shape);

inline bool resize_output(const Tensor& output, IntArrayRef shape) {
  return output.sizes() == shape ? false : resize_output_slow(output, shape);
}

// Whether resize_output would change the tensor; warns like it.
TORCH_API bool resize_output_check(const Tensor& output, IntArrayRef shape);

// Reallocates a storage (Meta, or any device whose memory the host can copy), keeping the bytes
// that fit.
TORCH_API void resize_bytes(c10::StorageImpl* storage, size_t size_bytes);

// Sets sizes and strides (row-major without `stride`) and grows the storage if it is too small.
TORCH_API TensorImpl* resize_impl_cpu_(
    TensorImpl* self, IntArrayRef size, OptionalIntArrayRef stride, bool resize_storage = true);

// Throws if the sizes and strides reach beyond the storage.
TORCH_API void check_in_bounds_for_storage(
    IntArrayRef size, IntArrayRef stride, int64_t storage_offset, size_t itemsize,
    const Storage& storage);

} // namespace at::native
