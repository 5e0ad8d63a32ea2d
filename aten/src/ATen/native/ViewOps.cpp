// Views that reinterpret a whole tensor: view, reshape, as_strided, flatten, detach.

#include <ATen/native/MakeView.h>

#include <ATen/EmptyTensor.h>
#include <ATen/InferSize.h>
#include <ATen/TensorUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/_reshape_alias_ops.h>
#include <ATen/ops/_unsafe_view_native.h>
#include <ATen/ops/_unsafe_view_ops.h>
#include <ATen/ops/alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/detach_native.h>
#include <ATen/ops/flatten_native.h>
#include <ATen/ops/reshape_as_native.h>
#include <ATen/ops/reshape_native.h>
#include <ATen/ops/unflatten_native.h>
#include <ATen/ops/view.h>
#include <ATen/ops/view_as_native.h>
#include <ATen/ops/view_native.h>
#include <ATen/ops/view_ops.h>

namespace at::native {
namespace {

// infer_size and computeStride with one buffer; returns undefined if the strides do not allow a
// view.
Tensor view_of_resolved(const Tensor& self, IntArrayRef sizes) {
  DimVector strides(sizes.size());
  if (self.is_contiguous()) {
    at::detail::contiguous_strides_into(sizes, strides.data());
    // For an empty tensor viewed with its own shape, computeStride keeps the strides.
    if (self.numel() == 0 && sizes == self.sizes()) {
      return make_view(self, sizes, self.strides(), self.storage_offset());
    }
  } else if (!at::detail::compute_stride_into(
                 self.sizes(), self.strides(), sizes, strides.data())) {
    return {};
  }
  return make_view(self, sizes, strides, self.storage_offset());
}

Tensor view_impl(const Tensor& self, IntArrayRef sizes) {
  Tensor result = view_of_resolved(self, sizes);
  TORCH_CHECK(
      result.defined(),
      "view size is not compatible with input tensor's size and stride (at least one dimension "
      "spans across two contiguous subspaces). Use .reshape(...) instead.");
  return result;
}

Tensor reshape_resolved(const Tensor& self, IntArrayRef sizes) {
  if (self.is_contiguous()) {
    return at::_ops::view::call(self, sizes);
  }
  DimVector strides(sizes.size());
  if (at::detail::compute_stride_into(self.sizes(), self.strides(), sizes, strides.data())) {
    return at::_ops::_reshape_alias::call(self, sizes, strides);
  }
  return at::_ops::_unsafe_view::call(at::clone(self, MemoryFormat::Contiguous), sizes);
}

} // namespace

Tensor view(const Tensor& self, IntArrayRef size) {
  return view_impl(self, infer_size_dv(size, self.numel()));
}

Tensor view_as(const Tensor& self, const Tensor& other) {
  return at::methods::view(self, other.sizes());
}

Tensor reshape(const Tensor& self, IntArrayRef shape) {
  return reshape_resolved(self, infer_size_dv(shape, self.numel()));
}

Tensor reshape_as(const Tensor& self, const Tensor& other) {
  return reshape(self, other.sizes());
}

Tensor _reshape_alias(const Tensor& self, IntArrayRef size, IntArrayRef stride) {
  return make_view(self, size, stride, self.storage_offset());
}

Tensor _unsafe_view(const Tensor& self, IntArrayRef size) {
  return view_impl(self, infer_size_dv(size, self.numel()));
}

Tensor alias(const Tensor& self) {
  return make_view(self, self.sizes(), self.strides(), self.storage_offset());
}

Tensor detach(const Tensor& self) {
  return alias(self);
}

Tensor& detach_(Tensor& self) {
  return self;
}

namespace {

void check_as_strided(IntArrayRef size, IntArrayRef stride, int64_t offset) {
  TORCH_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape");
  for (const int64_t step : stride) {
    TORCH_CHECK(
        step >= 0,
        "as_strided: Negative strides are not supported at the moment, got strides: ", stride);
  }
  TORCH_CHECK(offset >= 0, "Tensor: invalid storage offset ", offset);
  for (const int64_t length : size) {
    TORCH_CHECK(
        length >= 0, "Trying to create tensor with negative dimension ", length, ": ", size);
  }
}

} // namespace

Tensor as_strided_tensorimpl(
    const Tensor& self, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  check_as_strided(size, stride, offset);
  check_in_bounds_for_storage(
      size, stride, offset, self.dtype().itemsize(), self.unsafeGetTensorImpl()->unsafe_storage());
  return make_view(self, size, stride, offset);
}

Tensor as_strided_tensorimpl_meta(
    const Tensor& self, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset) {
  return as_strided_tensorimpl(self, size, stride, storage_offset);
}

const Tensor& as_strided_(
    const Tensor& self, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  check_as_strided(size, stride, offset);
  check_in_bounds_for_storage(
      size, stride, offset, self.dtype().itemsize(), self.unsafeGetTensorImpl()->unsafe_storage());
  self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride, offset);
  return self;
}

Tensor flatten(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  const int64_t ndim = self.dim();
  start_dim = maybe_wrap_dim(start_dim, ndim);
  end_dim = maybe_wrap_dim(end_dim, ndim);
  TORCH_CHECK(
      start_dim <= end_dim, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (ndim == 0) {
    return reshape_resolved(self, IntArrayRef{1});
  }
  if (start_dim == end_dim) {
    return self;
  }
  const IntArrayRef sizes = self.sizes();
  int64_t merged = 1;
  for (int64_t dim = start_dim; dim <= end_dim; ++dim) {
    merged *= sizes[dim];
  }
  DimVector shape(sizes.begin(), sizes.begin() + start_dim);
  shape.push_back(merged);
  shape.append(sizes.begin() + end_dim + 1, sizes.end());
  return reshape_resolved(self, shape);
}

Tensor unflatten(const Tensor& self, int64_t dim, IntArrayRef sizes) {
  dim = maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(!sizes.empty(), "unflatten: sizes must be non-empty");
  DimVector inner(sizes.size());
  try {
    infer_size_into(sizes, self.size(dim), inner.data());
  } catch (const c10::Error&) {
    TORCH_CHECK(
        false, "unflatten: Provided sizes ", sizes, " don't multiply up to the size of dim ", dim,
        " (", self.size(dim), ") in the input tensor");
  }
  const IntArrayRef old = self.sizes();
  DimVector shape(old.begin(), old.begin() + dim);
  shape.append(inner.begin(), inner.end());
  shape.append(old.begin() + dim + 1, old.end());
  return at::_ops::view::call(self, shape);
}

} // namespace at::native
