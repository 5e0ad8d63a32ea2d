#pragma once

#include <ATen/core/TensorBase.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/DimVector.h>

#include <optional>

namespace at::detail {

// The strides that view a tensor of `old_sizes` and `old_strides` as `new_sizes` (same number of
// elements) without copying; nullopt when that is impossible.
TORCH_API std::optional<DimVector> computeStride(
    IntArrayRef old_sizes, IntArrayRef old_strides, IntArrayRef new_sizes);

// Writes them to a buffer of new_sizes.size() elements instead; returns false when that is
// impossible.
TORCH_API bool compute_stride_into(
    IntArrayRef old_sizes, IntArrayRef old_strides, IntArrayRef new_sizes, int64_t* new_strides);

// Row-major strides of `sizes`; a size of zero counts as one.
inline void contiguous_strides_into(IntArrayRef sizes, int64_t* strides) {
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= sizes[i] > 1 ? sizes[i] : 1;
  }
}

// Dense strides that keep the order of `strides` (torch.preserve_format for a tensor with gaps or
// overlap): the dimension with the smallest stride becomes the innermost one. Given several
// tensors, the first one that distinguishes two dimensions decides.
TORCH_API DimVector dense_strides_like(IntArrayRef sizes, ArrayRef<IntArrayRef> strides);

inline DimVector dense_strides_like(IntArrayRef sizes, IntArrayRef strides) {
  return dense_strides_like(sizes, ArrayRef<IntArrayRef>(strides));
}

} // namespace at::detail
