#include <ATen/TensorUtils.h>

#include <ATen/InferSize.h>

#include <algorithm>
#include <numeric>

namespace at {

void infer_size_failed(IntArrayRef shape, int64_t numel) {
  int64_t product = 1;
  bool has_inferred = false;
  for (const int64_t size : shape) {
    has_inferred |= size == -1;
    product *= size == -1 ? 1 : size;
  }
  TORCH_CHECK(
      !(has_inferred && numel == 0 && product == 0),
      "cannot reshape tensor of 0 elements into shape ", shape,
      " because the unspecified dimension size -1 can be any value and is ambiguous");
  TORCH_CHECK(false, "shape '", shape, "' is invalid for input of size ", numel);
}

namespace detail {

bool compute_stride_into(
    IntArrayRef old_sizes, IntArrayRef old_strides, IntArrayRef new_sizes, int64_t* new_strides) {
  if (old_sizes.empty()) {
    std::fill_n(new_strides, new_sizes.size(), 1);
    return true;
  }
  int64_t numel = 1;
  for (const int64_t size : old_sizes) {
    numel *= size;
  }
  if (numel == 0) {
    if (old_sizes == new_sizes) {
      std::copy(old_strides.begin(), old_strides.end(), new_strides);
    } else {
      contiguous_strides_into(new_sizes, new_strides);
    }
    return true;
  }

  // Walks the old dimensions from the innermost one, collecting runs that are dense with one step.
  // Each run must be split into whole new dimensions.
  auto new_dim = static_cast<int64_t>(new_sizes.size()) - 1;
  int64_t step = old_strides.back();
  int64_t run = 1;
  int64_t covered = 1;
  for (auto old_dim = static_cast<int64_t>(old_sizes.size()) - 1; old_dim >= 0; --old_dim) {
    run *= old_sizes[old_dim];
    const bool run_ends =
        old_dim == 0 || (old_sizes[old_dim - 1] != 1 && old_strides[old_dim - 1] != run * step);
    if (!run_ends) {
      continue;
    }
    while (new_dim >= 0 && (covered < run || new_sizes[new_dim] == 1)) {
      new_strides[new_dim] = covered * step;
      covered *= new_sizes[new_dim];
      --new_dim;
    }
    if (covered != run) {
      return false;
    }
    if (old_dim > 0) {
      step = old_strides[old_dim - 1];
      run = 1;
      covered = 1;
    }
  }
  return new_dim == -1;
}

std::optional<DimVector> computeStride(
    IntArrayRef old_sizes, IntArrayRef old_strides, IntArrayRef new_sizes) {
  DimVector strides(new_sizes.size());
  if (!compute_stride_into(old_sizes, old_strides, new_sizes, strides.data())) {
    return std::nullopt;
  }
  return strides;
}

DimVector dense_strides_like(IntArrayRef sizes, ArrayRef<IntArrayRef> strides) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  DimVector order(ndim);
  std::iota(order.rbegin(), order.rend(), 0);

  // 1: dimension a belongs inside b; -1: outside; 0: either (a stride of zero, or a tie).
  const auto compare = [&](int64_t a, int64_t b) {
    for (const IntArrayRef tensor : strides) {
      if (tensor[a] == 0 || tensor[b] == 0) {
        continue;
      }
      if (tensor[a] != tensor[b]) {
        return tensor[a] < tensor[b] ? 1 : -1;
      }
      if (sizes[a] > sizes[b]) {
        return -1;
      }
    }
    return 0;
  };
  // Insertion sort: zero strides make the relation non-transitive, so the order of the comparisons
  // affects the result.
  for (int64_t i = 1; i < ndim; ++i) {
    int64_t position = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      const int relation = compare(order[j], order[position]);
      if (relation < 0) {
        std::swap(order[j], order[position]);
        position = j;
      } else if (relation > 0) {
        break;
      }
    }
  }
  DimVector result(ndim);
  int64_t step = 1;
  for (const int64_t dim : order) {
    result[dim] = step;
    step *= sizes[dim] > 1 ? sizes[dim] : 1;
  }
  return result;
}

} // namespace detail
} // namespace at
