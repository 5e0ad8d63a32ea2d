#pragma once

// Triangular systems of any size on the host: substitution in the blocks of the
// diagonal, and products of the others.

#include <ATen/native/ColumnProducts.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace at::native {

// A number itself if it is real.
template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return T(x.real(), -x.imag());
  }
}

template <class T>
void conjugate_all(T* x, int64_t count) {
  if constexpr (!std::is_floating_point_v<T>) {
    std::transform(x, x + count, x, conjugate<T>);
  }
}

struct Triangle {
  bool upper, unit;
};

// Solves A X = B in place, on the calling thread or, outside of parallel regions, in threads. The
// columns of X are adjacent numbers. Division by zero gives infinities, or NaN in complex numbers.
template <class T>
void solve_triangle(
    const T* a, Steps steps, int64_t n, T* x, int64_t x_step, int64_t count, Triangle shape);

// Writes the inverse of L U, where L has ones on its diagonal, to adjacent columns. The factors
// share the adjacent columns of one matrix.
template <class T>
void invert_factors(const T* factors, int64_t n, T* inverse);

// The same of L L^H, or of its conjugate.
template <class T>
void invert_square(const T* lower, Steps steps, int64_t n, bool conjugated, T* inverse);

} // namespace at::native
