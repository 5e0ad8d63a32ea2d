#pragma once

#include <ATen/core/DimVector.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/IndexedLoop.h>

#include <optional>

namespace at::native {

using IndexList = c10::List<std::optional<Tensor>>;

// The resolved form of self[indices]: the shape of the result and where to find each element. A
// single int64 index is used unchanged; several are combined into element offsets first.
struct AdvancedIndex {
  DimVector sizes;         // sizes of the result: dimensions before, of the indices, after
  DimVector self_strides;  // elements; zero along the dimensions of the indices
  DimVector index_strides; // elements; zero along the other dimensions
  Tensor index;            // int64
  int64_t step = 1;        // elements of self from one index to the next
  int64_t bound = 0;
  int64_t dim = 0;

  AdvancedIndex(const Tensor& self, const IndexList& indices);

  // A new tensor for the result, whose dimensions have the same memory order as those of self.
  Tensor empty_result(const Tensor& self) const;

  // `plain` has the sizes above (broadcast dimensions have a stride of zero).
  IndexedLoop loop(const Tensor& plain, const Tensor& self) const;
};

// offsets[i] = (first ? 0 : offsets[i]) + index[i] * stride on memory that the host cannot read;
// negative indices count from `bound`.
using fold_index_fn = void (*)(
    const int64_t* index, int64_t* offsets, int64_t count, int64_t bound, int64_t stride,
    bool first);
DECLARE_DISPATCH(fold_index_fn, fold_index_stub);

// Returns the mask if `indices` is a single bool mask over all dimensions of self.
const Tensor* whole_mask(const Tensor& self, const IndexList& indices);

} // namespace at::native
