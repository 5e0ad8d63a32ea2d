#pragma once

// Sums of multiples of a few columns, for the methods that go through a matrix in panels of them.

#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cstdint>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int kPanel = 8; // columns of a panel

// Calls f(i, load, store) for registers that start at i and cover [begin, end). They start at
// multiples of their length, so that those of aligned matrices do not cross cache lines.
template <class T, class F>
C10_ALWAYS_INLINE void for_registers(int64_t begin, int64_t end, const F& f) {
  constexpr int64_t L = kLanes<T>;
  for (int64_t i = begin; i < end;) {
    const int64_t count = std::min(L - i % L, end - i);
    if (count == L) {
      f(
          i, [](const T* p) { return load_lanes<T>(p); },
          [](T* p, Lanes<T> v) { store_lanes<T>(p, v); });
    } else {
      f(
          i, [count](const T* p) { return at::vec::load_first<T, L>(p, count); },
          [count](T* p, Lanes<T> v) { at::vec::store_first<T, L>(p, v, count); });
    }
    i += count;
  }
}

// x[j][begin..end) += factors[k][j] * columns[k][begin..end) for all k and j.
template <class T, int G>
C10_NOINLINE void add_panel(
    const T* columns, int64_t step, const T (&factors)[kPanel][G], T* x, int64_t x_step,
    int64_t begin, int64_t end) {
  for_registers<T>(begin, end, [&](int64_t i, const auto& load, const auto& store) {
    Lanes<T> column[kPanel];
#pragma GCC unroll 8
    for (int k = 0; k < kPanel; ++k) {
      column[k] = load(columns + k * step + i);
    }
    const T* factor = &factors[0][0];
    asm("" : "+r"(factor)); // or the compiler keeps all of them as registers in memory
#pragma GCC unroll 8
    for (int j = 0; j < G; ++j) {
      Lanes<T> sum = load(x + j * x_step + i);
#pragma GCC unroll 8
      for (int k = 0; k < kPanel; ++k) {
        sum = at::vec::fma(splat<T>(factor[k * G + j]), column[k], sum);
      }
      store(x + j * x_step + i, sum);
    }
  });
}

// Solves `width` rows of G right-hand sides; factors become the negated solutions. kCompact keeps
// the compiler from gathering whole registers, which is faster but much more code.
template <class T, int G, bool kCompact = false>
C10_NOINLINE void solve_block(
    const T* a, int64_t step, int width, bool upper, bool unit, T* x, int64_t x_step,
    T (&factors)[kPanel][G]) {
  for (int r = 0; r < width; ++r) {
    for (int j = 0; j < G; ++j) {
      factors[r][j] = x[j * x_step + r];
      if constexpr (kCompact) {
        asm("" : : : "memory");
      }
    }
  }
  for (int done = 0; done < width; ++done) {
    const int r = upper ? width - 1 - done : done;
    for (int j = 0; !unit && j < G; ++j) {
      factors[r][j] /= a[r * step + r];
    }
    for (int s = upper ? 0 : r + 1; s < (upper ? r : width); ++s) {
      for (int j = 0; j < G; ++j) {
        factors[s][j] -= a[r * step + s] * factors[r][j];
      }
    }
  }
  for (int r = 0; r < width; ++r) {
    for (int j = 0; j < G; ++j) {
      x[j * x_step + r] = factors[r][j];
      factors[r][j] = -factors[r][j];
      if constexpr (kCompact) {
        asm("" : : : "memory");
      }
    }
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
