#pragma once

// Searching in sorted rows and counting in bins, on any device.

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <c10/macros/Macros.h>

#include <cstdint>
#include <type_traits>

namespace at::native {

struct Search {
  Tensor sorted; // contiguous, with `length` elements in the last dimension
  Tensor sorter; // undefined, or the positions of the sorted elements
  Tensor values; // contiguous, of the same dtype: float, double or int64
  bool right;

  // How many values in a row search the same sorted elements.
  int64_t width() const {
    const int64_t all = values.numel();
    return sorted.dim() == 1 ? all : values.dim() == 0 ? 1 : values.size(-1);
  }
};

using search_fn = void (*)(const Search&, int64_t* out);
DECLARE_DISPATCH(search_fn, search_stub);

// Adds the number of `values` in each of the equal parts of [low, high] to `counts`; both are
// contiguous, of the same dtype, float or double.
using histogram_fn = void (*)(const Tensor& values, const Tensor& counts, double low, double high);
DECLARE_DISPATCH(histogram_fn, histogram_stub);

// NaN is greater than every number, as in sort.
template <typename T>
C10_HOST_DEVICE inline bool sorts_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a < b || (b != b && a == a);
  } else {
    return a < b;
  }
}

// The first position that keeps `data` sorted, or the last one if `right`. `data[order[i]]` is
// sorted; without `order`, `data` is.
template <typename T>
C10_HOST_DEVICE inline int64_t sorted_position(
    const T* data, const int64_t* order, int64_t n, T value, bool right) {
  int64_t low = 0;
  while (n > 0) {
    const int64_t half = n / 2, middle = low + half;
    const T other = data[order ? order[middle] : middle];
    if (right ? !sorts_before(value, other) : sorts_before(other, value)) {
      low = middle + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

template <typename T>
struct EqualBins {
  T low, high;
  int64_t count;

  C10_HOST_DEVICE T edge(int64_t i) const {
    const T step = (high - low) / static_cast<T>(count);
    return i < count / 2 ? low + step * static_cast<T>(i) : high - step * static_cast<T>(count - i);
  }
  // -1 for a number outside, and for NaN.
  C10_HOST_DEVICE int64_t of(T x) const {
    if (!(x >= low && x <= high)) {
      return -1;
    }
    auto bin = static_cast<int64_t>((x - low) * static_cast<T>(count) / (high - low));
    bin = bin < count ? bin : count - 1;
    // The edges decide where rounding put the element into a neighbor of its bin.
    bin -= bin > 0 && x < edge(bin);
    bin += bin + 1 < count && x >= edge(bin + 1);
    return bin;
  }
};

} // namespace at::native
