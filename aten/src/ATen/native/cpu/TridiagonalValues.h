#pragma once

// The eigenvalues of symmetric tridiagonal matrices, from the QR steps without square roots of Pal,
// Walker and Kahan (Parlett, "The Symmetric Eigenvalue Problem", 8.15).

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <class T>
constexpr T kEpsilon = std::numeric_limits<T>::epsilon() / 2;
// Smaller numbers count as zero in a matrix whose largest is about 1, so that squares of the others
// are normal numbers.
template <class T>
constexpr T kNegligible = std::is_same_v<T, double> ? T(1e-150) : T(1e-17);

// The eigenvalue of the last two rows of a block that is nearer to the last one.
template <class T>
T last_shift(const T* diagonal, int64_t hi, T off_diagonal) {
  const T half = (diagonal[hi - 1] - diagonal[hi]) / (2 * off_diagonal);
  const T root = std::sqrt(half * half + 1);
  return diagonal[hi] - off_diagonal / (half + std::copysign(root, half));
}

// Replaces the diagonal by the eigenvalues, in any order, and uses up the numbers next to it.
// Returns whether the iteration converges.
template <class T>
bool find_eigenvalues(T* diagonal, T* off_diagonal, int64_t n) {
  for (int64_t i = 0; i + 1 < n; ++i) {
    off_diagonal[i] *= off_diagonal[i];
  }
  const auto is_small = [&](int64_t i) {
    return off_diagonal[i] <= kEpsilon<T> * kEpsilon<T> * std::abs(diagonal[i] * diagonal[i + 1]) ||
        off_diagonal[i] <= kNegligible<T> * kNegligible<T>;
  };
  int64_t steps = 0;
  for (int64_t hi = n - 1; hi > 0;) {
    if (is_small(hi - 1)) {
      --hi;
      continue;
    }
    int64_t lo = hi - 1;
    while (lo > 0 && !is_small(lo - 1)) {
      --lo;
    }
    if (++steps > 30 * n) {
      return false;
    }
    const T sigma = last_shift(diagonal, hi, std::sqrt(off_diagonal[hi - 1]));
    T c = 1, s = 0, gamma = diagonal[lo] - sigma, p = gamma * gamma;
    for (int64_t i = lo; i < hi; ++i) {
      const T square = off_diagonal[i], r = p + square;
      if (i > lo) {
        off_diagonal[i - 1] = s * r;
      }
      const bool vanishes = p < 4 * std::numeric_limits<T>::min();
      const T before = c, inverse = r / p, last = gamma, next = diagonal[i + 1];
      c = p / r;
      s = square / r;
      gamma = c * (next - sigma) - s * last;
      diagonal[i] = last + (next - gamma);
      p = vanishes ? before * square : gamma * gamma * inverse;
    }
    off_diagonal[hi - 1] = s * p;
    diagonal[hi] = sigma + gamma;
  }
  return true;
}

} // namespace CPU_CAPABILITY
} // namespace at::native
