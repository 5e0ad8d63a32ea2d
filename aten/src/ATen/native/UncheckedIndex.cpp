// Variants of indexing that compilers emit where they know that indices are in range. This build
// checks them all the same.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_unsafe_index_native.h>
#include <ATen/ops/_unsafe_index_put_native.h>
#include <ATen/ops/_unsafe_masked_index_native.h>
#include <ATen/ops/_unsafe_masked_index_put_accumulate_native.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/zeros.h>

namespace at::native {

namespace {

using IndexList = c10::List<std::optional<Tensor>>;

// Masked indices may be anywhere.
IndexList clamped(const IndexList& indices, IntArrayRef sizes) {
  IndexList result;
  for (size_t d = 0; d < indices.size(); ++d) {
    const std::optional<Tensor> index = indices[d];
    result.push_back(
        index.has_value() && index->defined() ? at::clamp(*index, -sizes[d], sizes[d] - 1) : index);
  }
  return result;
}

} // namespace

Tensor _unsafe_index(const Tensor& self, const IndexList& indices) {
  return at::index(self, indices);
}

Tensor _unsafe_index_put(
    const Tensor& self, const IndexList& indices, const Tensor& values, bool accumulate) {
  return at::index_put(self, indices, values, accumulate);
}

Tensor _unsafe_masked_index(
    const Tensor& self, const Tensor& mask, const IndexList& indices, const Scalar& fill) {
  Tensor source = self;
  if (self.numel() == 0) {
    // Every element is masked; the indices need one to name.
    c10::DimVector sizes(self.sizes());
    for (size_t d = 0; d < indices.size(); ++d) {
      const std::optional<Tensor> index = indices[d];
      sizes[d] = index.has_value() ? std::max<int64_t>(sizes[d], 1) : sizes[d];
    }
    source = at::zeros(sizes, self.options());
  }
  return at::masked_fill(
      at::index(source, clamped(indices, source.sizes())), at::logical_not(mask), fill);
}

Tensor _unsafe_masked_index_put_accumulate(
    const Tensor& self, const Tensor& mask, const IndexList& indices, const Tensor& values) {
  if (self.numel() == 0) {
    return at::clone(self);
  }
  return at::index_put(
      self, clamped(indices, self.sizes()), at::masked_fill(values, at::logical_not(mask), 0),
      /*accumulate=*/true);
}

} // namespace at::native
