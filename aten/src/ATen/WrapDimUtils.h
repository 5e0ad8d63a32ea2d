#pragma once

#include <c10/core/WrapDimMinimal.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

#include <bitset>
#include <vector>

namespace at {

constexpr size_t dim_bitset_size = 64;

// Wraps every dimension in place.
inline void maybe_wrap_dims_n(
    int64_t* dims, int64_t ndims, int64_t dim_post_expr, bool wrap_scalars = true) {
  for (int64_t i = 0; i < ndims; ++i) {
    dims[i] = maybe_wrap_dim(dims[i], dim_post_expr, wrap_scalars);
  }
}

template <typename Container>
inline void maybe_wrap_dims(Container& dims, int64_t dim_post_expr, bool wrap_scalars = true) {
  maybe_wrap_dims_n(dims.data(), static_cast<int64_t>(dims.size()), dim_post_expr, wrap_scalars);
}

// Turns a list of dimensions into a bitset; repeated dimensions are an error.
inline std::bitset<dim_bitset_size> dim_list_to_bitset(IntArrayRef dims, size_t ndims) {
  TORCH_CHECK(
      ndims <= dim_bitset_size, "only tensors with up to ", dim_bitset_size, " dims are supported");
  std::bitset<dim_bitset_size> seen;
  for (const int64_t entry : dims) {
    const auto dim = static_cast<size_t>(maybe_wrap_dim(entry, static_cast<int64_t>(ndims)));
    TORCH_CHECK(!seen[dim], "dim ", dim, " appears multiple times in the list of dims");
    seen[dim] = true;
  }
  return seen;
}

} // namespace at
