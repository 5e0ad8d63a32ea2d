#pragma once
// The kernels of LookupTable: gradients of rows that were looked up, and a limit of their norms.
#include <TH/THTensorApply.h>

#include <cmath>

namespace thnn {

// Counts how often each of `height` rows was looked up.
template <typename Device>
struct CountRows {
  const int64_t* rows;
  int64_t height;
  int64_t* counts;

  C10_HOST_DEVICE void operator()(int64_t i) const {
    Device::check_index(rows[i], height);
    Device::add(counts + rows[i], int64_t{1});
  }
};

// Adds scale * grads[i] to row rows[i]. `counts`, if given, divide the gradient of a row.
template <typename Device, typename T, typename Scale>
struct AddRows {
  const int64_t *rows, *counts;
  const T* grads;
  int64_t width, padding; // the row `padding` has no gradient
  Scale scale;
  T* weights;

  C10_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t row = rows[i / width];
    if (row == padding) return;
    const Scale factor = counts ? scale / static_cast<Scale>(counts[row]) : scale;
    Device::add(weights + row * width + i % width, static_cast<T>(factor * grads[i]));
  }
};

// Scales a row that was looked up and whose norm exceeds the limit.
template <typename T, typename Sum>
struct LimitNorms {
  const int64_t* counts;
  int64_t width;
  Sum limit, exponent;
  T* weights;

  C10_HOST_DEVICE void operator()(int64_t row) const {
    if (counts[row] == 0) return;
    T* values = weights + row * width;
    Sum norm = 0;
    for (int64_t i = 0; i < width; ++i) {
      norm += std::pow(std::abs(static_cast<Sum>(values[i])), exponent);
    }
    norm = std::pow(norm, 1 / exponent);
    if (norm <= limit) return;
    for (int64_t i = 0; i < width; ++i) {
      values[i] = static_cast<T>(values[i] * (limit / norm));
    }
  }
};

} // namespace thnn
