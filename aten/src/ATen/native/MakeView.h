#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorImpl.h>

namespace at::native {

// Creates a tensor over the storage of `self` that autograd does not yet know as a view. Checks
// nothing: the caller derives sizes and strides that stay inside what `self` already covers. Only
// for kernels of view operators; composite operators call those operators through the dispatcher.
inline Tensor make_view(
    const Tensor& self, IntArrayRef sizes, IntArrayRef strides, int64_t storage_offset) {
  const TensorImpl* source = self.unsafeGetTensorImpl();
  auto view = at::detail::make_tensor<TensorImpl>(
      c10::TensorImpl::VIEW, Storage(source->unsafe_storage()),
      source->key_set() - c10::autograd_dispatch_keyset, source->dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, storage_offset);
  return view;
}

// The same with another dtype; the offset counts elements of that dtype.
inline Tensor make_view_as(
    const Tensor& self, ScalarType dtype, IntArrayRef sizes, IntArrayRef strides,
    int64_t storage_offset) {
  const TensorImpl* source = self.unsafeGetTensorImpl();
  auto view = at::detail::make_tensor<TensorImpl>(
      c10::TensorImpl::VIEW, Storage(source->unsafe_storage()),
      source->key_set() - c10::autograd_dispatch_keyset, c10::scalarTypeToTypeMeta(dtype));
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, storage_offset);
  return view;
}

} // namespace at::native
