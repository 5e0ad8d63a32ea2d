#pragma once

#include <ATen/native/cpu/Lanes.h>

#include <c10/util/complex.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

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

// Exchanges every second block of kBlock lanes of a with the block before it of b.
template <class T, int kBlock>
C10_ALWAYS_INLINE void exchange_blocks(Lanes<T>& a, Lanes<T>& b) {
  [&]<int... j>(std::integer_sequence<int, j...>) {
    constexpr int L = kLanes<T>;
    const Lanes<T> low = __builtin_shufflevector(a, b, (j & kBlock ? L + j - kBlock : j)...);
    b = __builtin_shufflevector(a, b, (j & kBlock ? L + j : j + kBlock)...);
    a = low;
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

// The real and imaginary parts of the complex numbers in v, exchanged.
template <class T>
C10_ALWAYS_INLINE Lanes<T> exchanged_parts(Lanes<T> v) {
  return [&]<int... j>(std::integer_sequence<int, j...>) {
    return __builtin_shufflevector(v, v, (j ^ 1)...);
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

// Interleaves the lanes of the lower halves of each 16 bytes of a and b, and those of the upper.
template <class T>
C10_ALWAYS_INLINE void interleave_within_quarters(Lanes<T>& a, Lanes<T>& b) {
  [&]<int... j>(std::integer_sequence<int, j...>) {
    constexpr int L = kLanes<T>, kQuarter = 16 / sizeof(T);
    const auto from = [](int lane) {
      return lane / kQuarter * kQuarter + lane % kQuarter / 2 + (lane % 2 ? L : 0);
    };
    const Lanes<T> low = __builtin_shufflevector(a, b, from(j)...);
    b = __builtin_shufflevector(a, b, (from(j) + kQuarter / 2)...);
    a = low;
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

// Interleaves a and b, of which each gives half of both results; kReversed begins with the last
// lanes.
template <typename T, bool kReversed = false>
C10_ALWAYS_INLINE void interleave_registers(Lanes<T>& a, Lanes<T>& b) {
  [&]<int... j>(std::integer_sequence<int, j...>) {
    constexpr int L = kLanes<T>;
    const auto from = [](int place) {
      return (kReversed ? L - 1 - place / 2 : place / 2) + place % 2 * L;
    };
    const Lanes<T> low = __builtin_shufflevector(a, b, from(j)...);
    b = __builtin_shufflevector(a, b, from(L + j)...);
    a = low;
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

// Separates what alternates in a, followed by b; kReversed begins with the last lanes.
template <typename T, bool kReversed = false>
C10_ALWAYS_INLINE void separate_registers(Lanes<T>& a, Lanes<T>& b) {
  [&]<int... j>(std::integer_sequence<int, j...>) {
    constexpr auto from = [](int lane) { return 2 * (kReversed ? kLanes<T> - 1 - lane : lane); };
    const Lanes<T> even = __builtin_shufflevector(a, b, from(j)...);
    b = __builtin_shufflevector(a, b, (from(j) + 1)...);
    a = even;
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

// Transposes the squares that N registers have in each N of their lanes, by exchanging blocks of
// halving size. Within 16 bytes, interleaving does the same in fewer cycles.
template <class T, int N>
C10_ALWAYS_INLINE void transpose_registers(Lanes<T> (&v)[N]) {
  static_assert(N <= kLanes<T> && N * sizeof(T) >= 16);
  const auto exchange = [&]<int kBlock>(std::integral_constant<int, kBlock>) {
    if constexpr (kBlock < N && kBlock * sizeof(T) >= 8) {
#pragma GCC unroll 64
      for (int i = 0; i < N; ++i) {
        if ((i & kBlock) == 0) {
          exchange_blocks<T, kBlock>(v[i], v[i + kBlock]);
        }
      }
    }
  };
  exchange(std::integral_constant<int, 8>{});
  exchange(std::integral_constant<int, 4>{});
  if constexpr (sizeof(T) == 8) {
    exchange(std::integral_constant<int, 2>{});
    exchange(std::integral_constant<int, 1>{});
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < N; i += 4) {
      interleave_within_quarters<T>(v[i], v[i + 1]);
      interleave_within_quarters<T>(v[i + 2], v[i + 3]);
      exchange_blocks<T, 2>(v[i], v[i + 2]);
      exchange_blocks<T, 2>(v[i + 1], v[i + 3]);
      std::swap(v[i + 1], v[i + 2]);
    }
  }
}

// Lane i of the result is the sum of v[i]'s lanes, for as many registers as a register has lanes:
// pairs of registers are halved and joined. Overwrites v.
template <class T>
inline Lanes<T> sum_each(Lanes<T>* v) {
  constexpr int L = kLanes<T>;
  using Index = at::vec::Lanes<at::vec::int_like<T>, L>;
#pragma GCC unroll 8
  for (int span = L; span > 1; span /= 2) {
    const int half = span / 2;
    Index low, high;
    for (int i = 0; i < L; ++i) {
      low[i] = i / span * span + i % half + (i % span < half ? 0 : L);
      high[i] = low[i] + half;
    }
#pragma GCC unroll 16
    for (int i = 0; i < half; ++i) {
      v[i] = shuffled<T>(v[i], v[i + half], low) + shuffled<T>(v[i], v[i + half], high);
    }
  }
  return v[0];
}

#if defined(__AVX512F__)

// Transposes a square of kLanes<T> rows; row(j) is the address of row j of the result. Quarters of
// a register come from rows a quarter of the square apart, which loads do on their way; what is
// left are squares within each quarter. Masked forms avoid GCC's warnings about the undefined
// operand of the others.
template <class T, class Row>
inline void copy_square_transposed(const T* from, int64_t step, const Row& row) {
  constexpr int kQuarter = kLanes<T> / 4;
  constexpr __mmask8 kAll = 0xff;
  constexpr __mmask16 kEach = 0xffff;
  const auto part = [&](int64_t i, int64_t col) {
    return _mm_loadu_ps(reinterpret_cast<const float*>(from + i * step + col));
  };
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    __m512 v[kQuarter];
#pragma GCC unroll 4
    for (int i = 0; i < kQuarter; ++i) {
      const int64_t col = q * kQuarter;
      v[i] = _mm512_castps128_ps512(part(i, col));
      v[i] = _mm512_maskz_insertf32x4(kEach, v[i], part(i + kQuarter, col), 1);
      v[i] = _mm512_maskz_insertf32x4(kEach, v[i], part(i + 2 * kQuarter, col), 2);
      v[i] = _mm512_maskz_insertf32x4(kEach, v[i], part(i + 3 * kQuarter, col), 3);
    }
    if constexpr (kQuarter == 4) {
      const __m512 a = v[0], b = v[1], c = v[2], d = v[3];
      v[0] = _mm512_maskz_unpacklo_ps(kEach, a, b);
      v[1] = _mm512_maskz_unpacklo_ps(kEach, c, d);
      v[2] = _mm512_maskz_unpackhi_ps(kEach, a, b);
      v[3] = _mm512_maskz_unpackhi_ps(kEach, c, d);
    }
#pragma GCC unroll 2
    for (int i = 0; i < kQuarter; i += 2) {
      const __m512d a = _mm512_castps_pd(v[i]), b = _mm512_castps_pd(v[i + 1]);
      _mm512_storeu_pd(row(q * kQuarter + i), _mm512_maskz_unpacklo_pd(kAll, a, b));
      _mm512_storeu_pd(row(q * kQuarter + i + 1), _mm512_maskz_unpackhi_pd(kAll, a, b));
    }
  }
}

#endif

// row(j)[i] = from[i * step + j] for i < rows, j < cols, both at most kLanes<T>.
template <class T, class Row>
void copy_block_transposed(
    const T* from, int64_t step, int64_t rows, int64_t cols, const Row& row) {
  constexpr int L = kLanes<T>;
#if defined(__AVX512F__)
  if (rows == L && cols == L) {
    return copy_square_transposed(from, step, row);
  }
#endif
  if (rows == L) {
    Lanes<T> v[L];
    for (int i = 0; i < L; ++i) {
      v[i] = cols == L ? load_lanes<T>(from + i * step)
                       : at::vec::load_first<T, L>(from + i * step, cols);
    }
    transpose_registers<T>(v);
    for (int64_t j = 0; j < cols; ++j) {
      store_lanes<T>(row(j), v[j]);
    }
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      row(j)[i] = from[i * step + j];
    }
  }
}

// The same with rows of the result `to_step` apart.
template <class T>
void copy_block_transposed(
    const T* from, int64_t step, int64_t rows, int64_t cols, T* to, int64_t to_step) {
  copy_block_transposed(from, step, rows, cols, [=](int64_t j) { return to + j * to_step; });
}

// The same for matrices of any size.
template <class T, class Row>
void copy_transposed(const T* from, int64_t step, int64_t rows, int64_t cols, const Row& row) {
  constexpr int64_t L = kLanes<T>;
  for (int64_t i = 0; i < rows; i += L) {
    for (int64_t j = 0; j < cols; j += L) {
      copy_block_transposed(
          from + i * step + j, step, std::min(L, rows - i), std::min(L, cols - j),
          [&](int64_t k) { return row(j + k) + i; });
    }
  }
}
template <class T>
void copy_transposed(
    const T* from, int64_t step, int64_t rows, int64_t cols, T* to, int64_t to_step) {
  copy_transposed(from, step, rows, cols, [=](int64_t j) { return to + j * to_step; });
}

// The same for complex numbers.
inline void copy_numbers_transposed(
    const c10::complex<float>* from, int64_t step, int64_t rows, int64_t cols,
    c10::complex<float>* to, int64_t to_step) {
  copy_transposed(
      reinterpret_cast<const double*>(from), step, rows, cols, reinterpret_cast<double*>(to),
      to_step);
}
inline void copy_numbers_transposed(
    const c10::complex<double>* from, int64_t step, int64_t rows, int64_t cols,
    c10::complex<double>* to, int64_t to_step) {
  constexpr int N = kLanes<double> / 2; // numbers of a register
  for (int64_t i = 0; i < rows; i += N) {
    for (int64_t j = 0; j < cols; j += N) {
      if (i + N <= rows && j + N <= cols) {
        Lanes<double> v[N];
#pragma GCC unroll 4
        for (int r = 0; r < N; ++r) {
          v[r] = load_lanes<double>(reinterpret_cast<const double*>(from + (i + r) * step + j));
        }
        if constexpr (N == 4) {
          exchange_blocks<double, 4>(v[0], v[2]);
          exchange_blocks<double, 4>(v[1], v[3]);
          exchange_blocks<double, 2>(v[2], v[3]);
        }
        if constexpr (N > 1) {
          exchange_blocks<double, 2>(v[0], v[1]);
        }
#pragma GCC unroll 4
        for (int r = 0; r < N; ++r) {
          store_lanes<double>(reinterpret_cast<double*>(to + (j + r) * to_step + i), v[r]);
        }
        continue;
      }
      for (int64_t r = i; r < std::min(rows, i + N); ++r) {
        for (int64_t c = j; c < std::min(cols, j + N); ++c) {
          to[c * to_step + r] = from[r * step + c];
        }
      }
    }
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
