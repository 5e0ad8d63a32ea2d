// Products of a few queries with keys and values of half types. A key or value is used once or a
// few times only, so that packing or converting all of them first would take longer than the
// products.

#include <ATen/Dispatch.h>
#include <ATen/native/Attention.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

using V = Lanes<float>;
using Bits = Lanes<uint32_t>;
constexpr int L = kLanes<float>;
constexpr int kPair = 2 * L; // elements of two registers of floats
constexpr int kAhead = 16;   // rows from one that is read to one that is requested

// Reads kPair elements, or the first of them and zeros. The two registers have the elements of
// bfloat16 at even and at odd places, which takes fewer operations than keeping their order.
template <class T>
C10_ALWAYS_INLINE void load_pair(const T* p, int64_t count, V (&to)[2]) {
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    const auto* raw = reinterpret_cast<const uint16_t*>(p);
    const auto both = count >= kPair ? at::vec::load<uint16_t, kPair>(raw)
                                     : at::vec::load_first<uint16_t, kPair>(raw, count);
    const Bits bits = reinterpret_cast<Bits>(both);
    to[0] = reinterpret_cast<V>(bits << 16);
    to[1] = reinterpret_cast<V>(bits & 0xffff0000u);
  } else {
    to[0] = load_up_to<float>(p, count, 0.0f);
    to[1] = count > L ? load_up_to<float>(p + L, count - L, 0.0f) : V{};
  }
}

// The place of element i among the lanes of two registers.
template <class T>
constexpr int lane_of(int i) {
  return std::is_same_v<T, c10::BFloat16> ? i / 2 + i % 2 * L : i;
}

// Sums of the lanes of pairs of registers, and of those sums, until lane i has the sum of v[i].
template <int kBlock = 1>
C10_ALWAYS_INLINE V sums_of(V* v) {
#pragma GCC unroll 16
  for (int i = 0; i < L; i += 2 * kBlock) {
    exchange_blocks<float, kBlock>(v[i], v[i + kBlock]);
    v[i] += v[i + kBlock];
  }
  if constexpr (2 * kBlock < L) {
    return sums_of<2 * kBlock>(v);
  } else {
    return v[0];
  }
}

// Products of kRows rows with kCount rows of the matrix, not yet added up across registers. `left`
// has the lanes that load_pair() makes, and a multiple of kPair of them.
template <class T, int kRows, int kCount>
C10_ALWAYS_INLINE void multiply_rows(
    const float* left, int64_t left_step, const T* matrix, int64_t step, int64_t width,
    V (*parts)[L]) {
  V sum[kRows][kCount][2] = {};
  for (int64_t at = 0; at < width; at += kPair) {
    V y[kCount][2];
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      load_pair(matrix + i * step + at, width - at, y[i]);
      __builtin_prefetch(matrix + (i + kAhead) * step + at);
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const V x = load_lanes<float>(left + r * left_step + at + j * L);
#pragma GCC unroll 4
        for (int i = 0; i < kCount; ++i) {
          sum[r][i][j] += x * y[i][j];
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      parts[r][i] = sum[r][i][0] + sum[r][i][1];
    }
  }
}

template <class T, int kRows>
void dot_rows(
    const HalfProduct& job, const float* left, int64_t left_step, float scale, float* out) {
  constexpr int kCount = kRows == 1 ? 4 : 2;
  V parts[kRows][L] = {};
  const T* matrix = static_cast<const T*>(job.matrix);
  for (int64_t i = 0; i < job.length; i += L) {
    const int64_t count = std::min<int64_t>(L, job.length - i), step = job.matrix_step;
    const T* from = matrix + i * step;
    int64_t k = 0;
    for (; k + kCount <= count; k += kCount) {
      multiply_rows<T, kRows, kCount>(
          left, left_step, from + k * step, step, job.width,
          reinterpret_cast<V(*)[L]>(&parts[0][k]));
    }
    for (; k < count; ++k) {
      multiply_rows<T, kRows, 1>(
          left, left_step, from + k * step, step, job.width,
          reinterpret_cast<V(*)[L]>(&parts[0][k]));
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      save_up_to<float, float>(out + r * job.out_step + i, sums_of(parts[r]) * scale, count);
    }
  }
}

// Adds to the next kPairs * kPair columns of the result.
template <class T, int kRows, int kPairs>
void sum_columns(
    const HalfProduct& job, const float* left, const T* matrix, int64_t width, float* out) {
  constexpr int kTurns = kRows == 1 ? 2 : 1; // sums that need not wait for each other
  const int64_t step = job.matrix_step;
  V sum[kRows][kTurns][kPairs][2] = {};
  const auto add = [&](int64_t i, int turn) {
    const T* from = matrix + i * step;
#pragma GCC unroll 2
    for (int p = 0; p < kPairs; ++p) {
      V y[2];
      load_pair(from + p * kPair, width - p * kPair, y);
      __builtin_prefetch(from + kAhead * step + p * kPair);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const V factor = splat<float>(left[r * job.left_step + i]);
        sum[r][turn][p][0] += factor * y[0];
        sum[r][turn][p][1] += factor * y[1];
      }
    }
  };
  int64_t i = 0;
  for (; i + kTurns <= job.length; i += kTurns) {
#pragma GCC unroll 2
    for (int turn = 0; turn < kTurns; ++turn) {
      add(i + turn, turn);
    }
  }
  for (; i < job.length; ++i) {
    add(i, 0);
  }
  alignas(at::vec::kVectorBytes) float lanes[kPair];
  for (int r = 0; r < kRows; ++r) {
    for (int p = 0; p < kPairs; ++p) {
      for (int j = 0; j < 2; ++j) {
        V total = sum[r][0][p][j];
        if constexpr (kTurns == 2) {
          total += sum[r][1][p][j];
        }
        store_lanes<float>(lanes + j * L, total);
      }
      float* to = out + r * job.out_step + p * kPair;
      for (int l = 0; l < std::min<int64_t>(kPair, width - p * kPair); ++l) {
        to[l] += lanes[lane_of<T>(l)];
      }
    }
  }
}

template <class T, int kRows>
void sum_rows(const HalfProduct& job, const float* left, float* out) {
  const T* matrix = static_cast<const T*>(job.matrix);
  int64_t at = 0;
  if constexpr (kRows == 1) {
    for (; at + kPair < job.width; at += 2 * kPair) {
      sum_columns<T, 1, 2>(job, left, matrix + at, job.width - at, out + at);
    }
  }
  for (; at < job.width; at += kPair) {
    sum_columns<T, kRows, 1>(job, left, matrix + at, job.width - at, out + at);
  }
}

// Calls f with the number of the next rows, as a constant: four, or one.
template <class F>
void for_rows(int64_t rows, const F& f) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    f(r, std::integral_constant<int, 4>());
  }
  for (; r < rows; ++r) {
    f(r, std::integral_constant<int, 1>());
  }
}

void half_row_dots(c10::ScalarType dtype, const HalfProduct& job, float scale) {
  const int64_t step = (job.width + kPair - 1) / kPair * kPair;
  Room<float> left(job.rows * step); // with the lanes of load_pair()
  std::fill_n(left.get(), job.rows * step, 0.0f);
  AT_DISPATCH_REDUCED_FLOATING_TYPES(dtype, "half_row_dots", [&] {
    for (int64_t r = 0; r < job.rows; ++r) {
      for (int64_t i = 0; i < job.width; ++i) {
        left.get()[r * step + i / kPair * kPair + lane_of<scalar_t>(i % kPair)] =
            job.left[r * job.left_step + i];
      }
    }
    for_rows(job.rows, [&]<int kRows>(int64_t r, std::integral_constant<int, kRows>) {
      dot_rows<scalar_t, kRows>(
          job, left.get() + r * step, step, scale, job.out + r * job.out_step);
    });
  });
}

void half_row_sums(c10::ScalarType dtype, const HalfProduct& job) {
  AT_DISPATCH_REDUCED_FLOATING_TYPES(dtype, "half_row_sums", [&] {
    for_rows(job.rows, [&]<int kRows>(int64_t r, std::integral_constant<int, kRows>) {
      sum_rows<scalar_t, kRows>(job, job.left + r * job.left_step, job.out + r * job.out_step);
    });
  });
}

} // namespace

REGISTER_DISPATCH(half_row_dots_stub, &half_row_dots)
REGISTER_DISPATCH(half_row_sums_stub, &half_row_sums)

} // namespace CPU_CAPABILITY
} // namespace at::native
