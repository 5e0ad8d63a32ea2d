#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/OptionalArrayRef.h>

namespace at::native {

// Gives an out= tensor the shape of the result. Warns when that reshapes a tensor which had
// elements; returns whether anything changed.
TORCH_API bool resize_output_slow(const Tensor& output, IntArrayRef shape);

inline bool resize_output(const Tensor& output, IntArrayRef shape) {
  return output.sizes() == shape ? false : resize_output_slow(output, shape);
}

// The same, only asking: would it change?
TORCH_API bool resize_output_check(const Tensor& output, IntArrayRef shape);

// Reallocates a storage (of any device whose memory the host can copy, or Meta), keeping the
// bytes that fit.
TORCH_API void resize_bytes_cpu(c10::StorageImpl* storage, size_t size_bytes);

// Sets sizes and strides (row-major without `stride`) and grows the storage when it is too small.
TORCH_API TensorImpl* resize_impl_cpu_(
    TensorImpl* self, IntArrayRef size, OptionalIntArrayRef stride, bool resize_storage = true);

// Refuses sizes and strides that reach beyond the storage.
TORCH_API void check_in_bounds_for_storage(
    IntArrayRef size, IntArrayRef stride, int64_t storage_offset, size_t itemsize,
    const Storage& storage);

} // namespace at::native
