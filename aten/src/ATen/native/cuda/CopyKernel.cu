// copy_: within a device, between devices, and between a device and the host.

#include <ATen/EmptyTensor.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Copy.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/Loops.cuh>
#include <ATen/ops/_copy_from_native.h>
#include <c10/core/CopyBytes.h>

namespace at::native {

namespace {

template <typename T>
struct Identity {
  C10_HOST_DEVICE T operator()(T value) const { return value; }
};

void copy_bytes_of(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  c10::CopyBytes(
      target.nbytes(), source.const_data_ptr(), source.device(), target.mutable_data_ptr(),
      target.device(), non_blocking);
}

void copy_in_device(TensorIterator& iter) {
  const ScalarType to = loops::dtype_in_memory(iter, 0);
  if (to == loops::dtype_in_memory(iter, 1)) {
    dispatch_itemsize(c10::elementSize(to), [&](auto element) {
      gpu_kernel_nocast(iter, Identity<decltype(element)>());
    });
    return;
  }
  AT_DISPATCH_V2(
      to, "copy_", AT_WRAP([&] { gpu_kernel(iter, Identity<scalar_t>()); }),
      AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES),
      AT_EXPAND(AT_FLOAT8_TYPES), kComplexHalf, kHalf, kBFloat16, kBool);
}

// A contiguous tensor with the source's values in the dtype, on the source's device.
TensorBase packed(const TensorBase& source, IntArrayRef sizes, ScalarType dtype) {
  if (source.scalar_type() == dtype && source.is_contiguous() && source.sizes() == sizes) {
    return source;
  }
  TensorBase result = at::detail::empty_on(source.device(), sizes, dtype);
  copy_same_shape(result, source);
  return result;
}

// Bytes travel in the dtype that has fewer of them.
ScalarType smaller(ScalarType a, ScalarType b) {
  return c10::elementSize(a) < c10::elementSize(b) ? a : b;
}

// Between any two devices: values are packed where they come from, and unpacked where they go.
void copy_across(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  if (same_bytes_in_order(target, source)) {
    copy_bytes_of(target, source, non_blocking);
    return;
  }
  const ScalarType dtype = smaller(target.scalar_type(), source.scalar_type());
  const TensorBase values = packed(source, target.sizes(), dtype);
  // A temporary on the host must outlive the copy.
  const bool keeps_host = values.is_cpu() ? values.is_same(source) : true;
  if (target.scalar_type() == dtype && target.is_contiguous()) {
    copy_bytes_of(target, values, non_blocking && keeps_host);
    return;
  }
  const TensorBase arrived = at::detail::empty_on(target.device(), target.sizes(), dtype);
  copy_bytes_of(arrived, values, non_blocking && keeps_host && !arrived.is_cpu());
  copy_same_shape(target, arrived);
}

void copy_kernel_cuda(TensorIterator& iter, bool non_blocking) {
  if (iter.device(0) == iter.device(1)) {
    copy_in_device(iter);
  } else {
    copy_across(iter.tensor_base(0), iter.tensor_base(1), non_blocking);
  }
}

} // namespace

REGISTER_CUDA_DISPATCH(copy_stub, &copy_kernel_cuda)

Tensor _copy_from_cuda(const Tensor& source, const Tensor& target, bool non_blocking) {
  copy_across(target, source, non_blocking);
  return target;
}

} // namespace at::native
