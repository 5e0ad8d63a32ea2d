#pragma once

#include <ATen/core/TensorBase.h>
#include <ATen/native/DispatchStub.h>

namespace at {
struct TensorIterator;
class Tensor;
} // namespace at

namespace at::native {

// The iterator has one output and one input of any two dtypes.
DECLARE_DISPATCH(void (*)(TensorIterator&, bool non_blocking), copy_stub);

// Copies between tensors of one shape, converting between dtypes if they differ.
TORCH_API void copy_same_shape(const TensorBase& target, const TensorBase& source);

// The same, or the source's shape broadcasts to the target's.
void copy_expanded(const TensorBase& target, const TensorBase& source, bool non_blocking);

// The same where the tensors are on two device types, or on one that has no copy_stub.
void copy_across_devices(const TensorBase& target, const TensorBase& source, bool non_blocking);

// Gives the target the source's sizes and values, through _copy_from_and_resize where the target's
// back end has a kernel.
void resize_and_copy(const Tensor& target, const Tensor& source);

// Whether copying one tensor's bytes in the order of memory gives the other.
TORCH_API bool same_bytes_in_order(const TensorBase& target, const TensorBase& source);

// Returns a new tensor on the device of `source` with its values in another dtype.
TORCH_API TensorBase converted_copy(const TensorBase& source, ScalarType dtype);

// Returns a tensor over the same storage with other sizes and strides. Checks nothing.
TORCH_API TensorBase strided_view(
    const TensorBase& base, IntArrayRef sizes, IntArrayRef strides, int64_t storage_offset);

} // namespace at::native
