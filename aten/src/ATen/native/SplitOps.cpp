// Splits a tensor into several views along one dimension.

#include <ATen/native/MakeView.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/chunk_native.h>
#include <ATen/ops/split.h>
#include <ATen/ops/split_native.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/split_with_sizes_native.h>
#include <ATen/ops/unbind_native.h>
#include <c10/util/DimVector.h>

#include <algorithm>
#include <vector>

namespace at::native {
namespace {

// Views of consecutive parts of one dimension.
class Cutter {
 public:
  Cutter(const Tensor& self, int64_t dim)
      : self_(self),
        dim_(dim),
        offset_(self.storage_offset()),
        sizes_(self.sizes().begin(), self.sizes().end()) {}

  Tensor next(int64_t length) {
    sizes_[dim_] = length;
    Tensor part = make_view(self_, sizes_, self_.strides(), offset_);
    offset_ += length * self_.strides()[dim_];
    return part;
  }

 private:
  const Tensor& self_;
  int64_t dim_;
  int64_t offset_;
  DimVector sizes_;
};

std::vector<Tensor> split_evenly(const Tensor& self, int64_t split_size, int64_t dim) {
  const int64_t size = self.sizes()[dim];
  const int64_t count =
      split_size == 0 ? 1 : std::max<int64_t>((size + split_size - 1) / split_size, 1);
  std::vector<Tensor> parts;
  parts.reserve(count);
  Cutter cutter(self, dim);
  for (int64_t i = 0; i + 1 < count; ++i) {
    parts.push_back(cutter.next(split_size));
  }
  parts.push_back(cutter.next(size - split_size * (count - 1)));
  return parts;
}

} // namespace

std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim) {
  TORCH_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  TORCH_CHECK(
      split_size >= 0, "split expects split_size be non-negative, but got split_size=", split_size);
  dim = maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[dim];
  TORCH_CHECK(
      split_size > 0 || size == 0,
      "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  return split_evenly(self, split_size, dim);
}

std::vector<Tensor> split(const Tensor& self, IntArrayRef sizes, int64_t dim) {
  return at::split_with_sizes(self, sizes, dim);
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
  TORCH_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  dim = maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[dim];
  int64_t total = 0;
  for (const int64_t length : split_sizes) {
    TORCH_CHECK(
        length >= 0,
        "split_with_sizes expects split_sizes have only non-negative entries, but "
        "got split_sizes=",
        split_sizes);
    // Saturates at one above the size, because the sum of arbitrary lengths may not fit an int64.
    total = length > size - total ? size + 1 : total + length;
  }
  TORCH_CHECK(
      total == size, "split_with_sizes expects split_sizes to sum exactly to ", size,
      " (input tensor's size at dimension ", dim, "), but got split_sizes=", split_sizes);
  std::vector<Tensor> parts;
  parts.reserve(split_sizes.size());
  Cutter cutter(self, dim);
  for (const int64_t length : split_sizes) {
    parts.push_back(cutter.next(length));
  }
  return parts;
}

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  TORCH_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  dim = maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[dim];
  const int64_t split_size = (size + chunks - 1) / chunks;
  if (split_size == 0) {
    // All parts are empty: returns the requested number, which split() cannot derive.
    const std::vector<int64_t> lengths(static_cast<size_t>(chunks), 0);
    return at::split_with_sizes(self, lengths, dim);
  }
  return at::split(self, split_size, dim);
}

std::vector<Tensor> unbind(const Tensor& self, int64_t dim) {
  TORCH_CHECK_INDEX(
      self.dim() > 0, "Dimension specified as ", dim, " but tensor has no dimensions");
  dim = maybe_wrap_dim(dim, self.dim());
  const int64_t count = self.sizes()[dim];
  const int64_t step = self.strides()[dim];
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  DimVector strides(self.strides().begin(), self.strides().end());
  sizes.erase(sizes.begin() + dim);
  strides.erase(strides.begin() + dim);
  std::vector<Tensor> parts;
  parts.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(make_view(self, sizes, strides, self.storage_offset() + i * step));
  }
  return parts;
}

} // namespace at::native
