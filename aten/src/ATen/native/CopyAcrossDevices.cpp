// Copies for which no kernel of one device suffices. A back end provides functions that copy bytes
// (c10::CopyBytes); what conversions and other strides need beyond that is done on the host.

#include <ATen/native/Copy.h>

#include <ATen/EmptyTensor.h>
#include <ATen/TensorUtils.h>
#include <ATen/core/Tensor.h>
#include <c10/core/CopyBytes.h>
#include <c10/core/TensorImpl.h>

namespace at::native {

namespace {

bool on_host(const TensorBase& tensor) {
  return tensor.is_cpu();
}

// All bytes from the first element to the last, gaps included.
size_t extent_bytes(const TensorBase& tensor) {
  return at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize());
}

void copy_bytes_of(
    const TensorBase& target, const TensorBase& source, size_t bytes, bool non_blocking) {
  c10::CopyBytes(
      bytes, source.const_data_ptr(), source.device(), target.mutable_data_ptr(), target.device(),
      non_blocking);
}

// A host tensor with the strides of `like`, over memory of the same extent.
TensorBase host_tensor_like(const TensorBase& like) {
  return at::detail::empty_strided_cpu(like.sizes(), like.strides(), like.scalar_type());
}

TensorBase to_host(const TensorBase& source) {
  if (on_host(source)) {
    return source;
  }
  TensorBase copy = host_tensor_like(source);
  copy_bytes_of(copy, source, extent_bytes(source), /*non_blocking=*/false);
  return copy;
}

void from_host(const TensorBase& target, const TensorBase& source) {
  TensorBase staged = host_tensor_like(target);
  if (!target.is_non_overlapping_and_dense()) {
    // Elements between the target's belong to other tensors and are written back unchanged.
    copy_bytes_of(staged, target, extent_bytes(target), /*non_blocking=*/false);
  }
  copy_same_shape(staged, source);
  copy_bytes_of(target, staged, extent_bytes(target), /*non_blocking=*/false);
}

} // namespace

void copy_across_devices(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  if (target.numel() == 0 || target.is_meta()) {
    return; // there is nothing to copy to
  }
  const bool direct = same_bytes_in_order(target, source) &&
      c10::hasCopyBytesFunction(source.device().type(), target.device().type());
  if (direct) {
    if (target.const_data_ptr() != source.const_data_ptr()) {
      copy_bytes_of(target, source, target.nbytes(), non_blocking);
    }
    return;
  }
  const TensorBase values = to_host(source);
  if (on_host(target)) {
    copy_same_shape(target, values);
  } else {
    from_host(target, values);
  }
}

} // namespace at::native
