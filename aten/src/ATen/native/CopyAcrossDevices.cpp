// Copies for which no kernel of one device suffices. A back end registers either a kernel of
// _copy_from, which does everything itself, or functions that copy bytes (c10::CopyBytes); what
// conversions and other strides need beyond those is done on the host.

#include <ATen/native/Copy.h>

#include <ATen/EmptyTensor.h>
#include <ATen/TensorUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/native/MathBits.h>
#include <ATen/ops/_copy_from_and_resize_ops.h>
#include <ATen/ops/_copy_from_ops.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/resize.h>
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

// The back end that a call with both tensors dispatches to.
c10::DispatchKey back_end_of(const TensorBase& target, const TensorBase& source) {
  const auto keys = (target.key_set() | source.key_set()) & c10::backend_dispatch_keyset;
  return keys.highestPriorityTypeId();
}

// Returns whether the back end has a kernel that copied.
bool copy_by_back_end(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  if (!at::_ops::_copy_from::entry.has_kernel_for(back_end_of(target, source))) {
    return false;
  }
  at::_ops::_copy_from::call(Tensor(source), Tensor(target), non_blocking);
  return true;
}

} // namespace

void resize_and_copy(const Tensor& target, const Tensor& source) {
  if (!has_math_bits(target) &&
      at::_ops::_copy_from_and_resize::entry.has_kernel_for(back_end_of(target, source))) {
    at::_ops::_copy_from_and_resize::call(source, target);
    return;
  }
  if (target.sizes() != source.sizes()) {
    at::methods::resize_(target, source.sizes());
    if (source.is_non_overlapping_and_dense()) {
      target.unsafeGetTensorImpl()->set_sizes_and_strides(source.sizes(), source.strides());
    }
  }
  Tensor written = target;
  at::methods::copy_(written, source);
}

void copy_across_devices(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  if (target.numel() == 0 || target.is_meta()) {
    return; // there is nothing to copy to
  }
  if (copy_by_back_end(target, source, non_blocking)) {
    return;
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
