// Views that keep a part of one dimension or split a tensor along it.

#include <ATen/native/MakeView.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/diagonal_native.h>
#include <ATen/ops/narrow_native.h>
#include <ATen/ops/select_native.h>
#include <ATen/ops/slice_native.h>
#include <ATen/ops/slice_ops.h>
#include <ATen/ops/unfold_native.h>
#include <c10/util/DimVector.h>

#include <algorithm>
#include <limits>

namespace at::native {
namespace {

// A view that replaces one dimension's size and stride; the TensorImpl copies the rest of the
// geometry.
Tensor with_dim(const Tensor& self, int64_t dim, int64_t size, int64_t stride, int64_t offset) {
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  DimVector strides(self.strides().begin(), self.strides().end());
  sizes[dim] = size;
  strides[dim] = stride;
  return make_view(self, sizes, strides, offset);
}

} // namespace

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  const int64_t ndim = self.dim();
  TORCH_CHECK_INDEX(ndim != 0, "select() cannot be applied to a 0-dim tensor.");
  dim = maybe_wrap_dim(dim, ndim);
  const IntArrayRef sizes = self.sizes();
  const IntArrayRef strides = self.strides();
  const int64_t size = sizes[dim];
  TORCH_CHECK_INDEX(
      index >= -size && index < size, "select(): index ", index,
      " out of range for tensor of size ", sizes, " at dimension ", dim);
  const int64_t offset = self.storage_offset() + (index < 0 ? index + size : index) * strides[dim];
  DimVector new_sizes(ndim - 1);
  DimVector new_strides(ndim - 1);
  for (int64_t from = 0, to = 0; from < ndim; ++from) {
    if (from != dim) {
      new_sizes[to] = sizes[from];
      new_strides[to] = strides[from];
      ++to;
    }
  }
  return make_view(self, new_sizes, new_strides, offset);
}

Tensor slice(
    const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
    int64_t step) {
  const int64_t ndim = self.dim();
  TORCH_CHECK_INDEX(ndim != 0, "slice() cannot be applied to a 0-dim tensor.");
  dim = maybe_wrap_dim(dim, ndim);
  TORCH_CHECK(step > 0, "slice step must be positive");
  const int64_t size = self.sizes()[dim];
  const int64_t stride = self.strides()[dim];
  int64_t first = start.value_or(0);
  int64_t last = end.value_or(std::numeric_limits<int64_t>::max());
  first = std::clamp<int64_t>(first < 0 ? first + size : first, 0, size);
  last = std::clamp<int64_t>(last < 0 ? last + size : last, first, size);
  const int64_t length = (last - first) / step + ((last - first) % step != 0 ? 1 : 0);
  return with_dim(self, dim, length, stride * step, self.storage_offset() + first * stride);
}

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  TORCH_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK(length >= 0, "narrow(): length must be non-negative.");
  const int64_t size = self.size(dim);
  TORCH_CHECK_INDEX(
      -size <= start && start <= size, "start out of range (expected to be in range of [", -size,
      ", ", size, "], but got ", start, ")");
  const int64_t first = start < 0 ? start + size : start;
  TORCH_CHECK(
      first <= size - length, "start (", first, ") + length (", length,
      ") exceeds dimension size (", size, ").");
  return at::_ops::slice_Tensor::call(self, dim, first, first + length, 1);
}

Tensor narrow_tensor(const Tensor& self, int64_t dim, const Tensor& start, int64_t length) {
  TORCH_CHECK(
      start.dim() == 0 && isIntegralType(start.scalar_type(), /*includeBool=*/false),
      "start must be an 0-dim integral Tensor.");
  return narrow(self, dim, start.item<int64_t>(), length);
}

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t ndim = self.dim();
  const int64_t first = maybe_wrap_dim(dim1, ndim);
  const int64_t second = maybe_wrap_dim(dim2, ndim);
  TORCH_CHECK(first != second, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const IntArrayRef sizes = self.sizes();
  const IntArrayRef strides = self.strides();
  const int64_t rows = sizes[first] + std::min<int64_t>(offset, 0);
  const int64_t columns = sizes[second] - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  int64_t storage_offset = self.storage_offset();
  if (length > 0) {
    storage_offset += offset >= 0 ? offset * strides[second] : -offset * strides[first];
  }
  DimVector new_sizes;
  DimVector new_strides;
  for (int64_t dim = 0; dim < ndim; ++dim) {
    if (dim != first && dim != second) {
      new_sizes.push_back(sizes[dim]);
      new_strides.push_back(strides[dim]);
    }
  }
  new_sizes.push_back(length);
  new_strides.push_back(strides[first] + strides[second]);
  return make_view(self, new_sizes, new_strides, storage_offset);
}

Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  const int64_t ndim = self.dim();
  const int64_t dim = maybe_wrap_dim(dimension, ndim);
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  DimVector strides(self.strides().begin(), self.strides().end());
  const int64_t available = ndim == 0 ? 1 : sizes[dim];
  TORCH_CHECK(size >= 0, "size is ", size, " but must be >= 0");
  TORCH_CHECK(
      size <= available, "maximum size for tensor at dimension ", dim, " is ", available,
      " but size is ", size);
  TORCH_CHECK(step > 0, "step is ", step, " but must be > 0");
  sizes.push_back(size);
  strides.push_back(ndim == 0 ? 1 : strides[dim]);
  if (ndim > 0) {
    sizes[dim] = (available - size) / step + 1;
    strides[dim] *= step;
  }
  return make_view(self, sizes, strides, self.storage_offset());
}

} // namespace at::native
