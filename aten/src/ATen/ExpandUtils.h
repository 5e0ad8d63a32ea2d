#pragma once

#include <ATen/core/DimVector.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>
#include <c10/util/MaybeOwned.h>

#include <tuple>
#include <vector>

namespace at {

class Tensor;
class TensorBase;
using c10::ArrayRef;
using c10::IntArrayRef;

// Broadcasts two shapes; throws when they are incompatible.
TORCH_API std::vector<int64_t> infer_size(IntArrayRef a, IntArrayRef b);
TORCH_API DimVector infer_size_dimvector(IntArrayRef a, IntArrayRef b);

// Whether `shape` broadcasts to `desired`.
TORCH_API bool are_expandable(IntArrayRef shape1, IntArrayRef shape2);
TORCH_API bool is_expandable_to(IntArrayRef shape, IntArrayRef desired);

struct ExpandGeometry {
  DimVector sizes;
  DimVector strides;
};

// The sizes and strides of a tensor expanded to `sizes`, where -1 keeps an existing size.
TORCH_API ExpandGeometry
inferExpandGeometry(IntArrayRef tensor_sizes, IntArrayRef tensor_strides, IntArrayRef sizes);

// Expand the operands to their common shape; an operand that already has it is borrowed.
TORCH_API c10::MaybeOwned<Tensor> expand_size(const Tensor& tensor, IntArrayRef sizes);
TORCH_API c10::MaybeOwned<Tensor> expand_inplace(
    const Tensor& tensor, const Tensor& to_expand, const char* api_name = nullptr);
TORCH_API std::tuple<c10::MaybeOwned<Tensor>, c10::MaybeOwned<Tensor>> expand_outplace(
    const Tensor& a, const Tensor& b, const char* api_name = nullptr);
TORCH_API std::tuple<c10::MaybeOwned<Tensor>, c10::MaybeOwned<Tensor>, c10::MaybeOwned<Tensor>>
expand_outplace(const Tensor& a, const Tensor& b, const Tensor& c, const char* api_name = nullptr);
TORCH_API std::vector<Tensor> expand_outplace(ArrayRef<Tensor> tensors);

// The inverse of broadcasting: sums over the dimensions that were repeated to expand from `shape`.
// When there are none, returns the tensor itself or a view of it, unless `always_return_non_view`
// is set.
TORCH_API Tensor sum_to(Tensor tensor, IntArrayRef shape, bool always_return_non_view = false);

} // namespace at
