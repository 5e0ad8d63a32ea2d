#pragma once

#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cstdint>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Lane j of the result is lane index[j] of a, followed by b.
template <class T, class Index>
inline Lanes<T> shuffled(Lanes<T> a, Lanes<T> b, Index index) {
#ifdef __clang__ // which takes only constants as indices
  Lanes<T> result;
  for (int j = 0; j < kLanes<T>; ++j) {
    result[j] = index[j] < kLanes<T> ? a[index[j]] : b[index[j] - kLanes<T>];
  }
  return result;
#else
  return __builtin_shuffle(a, b, index);
#endif
}

// Transposes as many registers as a register has lanes by swapping blocks of halving size.
template <class T>
inline void transpose_registers(Lanes<T> (&v)[kLanes<T>]) {
  using Index = at::vec::Lanes<at::vec::int_like<T>, kLanes<T>>;
  constexpr int L = kLanes<T>;
#pragma GCC unroll 8
  for (int s = L / 2; s > 0; s /= 2) {
    Index low, high;
    for (int j = 0; j < L; ++j) {
      low[j] = j & s ? L + j - s : j;
      high[j] = j & s ? L + j : j + s;
    }
#pragma GCC unroll 64
    for (int i = 0; i < L; ++i) {
      if ((i & s) == 0) {
        const Lanes<T> a = v[i], b = v[i + s];
        v[i] = shuffled<T>(a, b, low);
        v[i + s] = shuffled<T>(a, b, high);
      }
    }
  }
}

// to[j * to_step + i] = from[i * step + j] for i < rows, j < cols, both at most kLanes<T>.
template <class T>
void copy_block_transposed(
    const T* from, int64_t step, int64_t rows, int64_t cols, T* to, int64_t to_step) {
  constexpr int L = kLanes<T>;
  if (rows == L) {
    Lanes<T> v[L];
    for (int i = 0; i < L; ++i) {
      v[i] = cols == L ? load_lanes<T>(from + i * step)
                       : at::vec::load_first<T, L>(from + i * step, cols);
    }
    transpose_registers<T>(v);
    for (int64_t j = 0; j < cols; ++j) {
      store_lanes<T>(to + j * to_step, v[j]);
    }
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      to[j * to_step + i] = from[i * step + j];
    }
  }
}

// The same for matrices of any size.
template <class T>
void copy_transposed(
    const T* from, int64_t step, int64_t rows, int64_t cols, T* to, int64_t to_step) {
  constexpr int64_t L = kLanes<T>;
  for (int64_t i = 0; i < rows; i += L) {
    for (int64_t j = 0; j < cols; j += L) {
      copy_block_transposed(
          from + i * step + j, step, std::min(L, rows - i), std::min(L, cols - j),
          to + j * to_step + i, to_step);
    }
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
