#pragma once

#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cstdint>

// The matrix product behind a convolution, without the unrolled image that "im2col" stores: its
// element (j, s) is row_j[step_s], given an array and two lists of offsets into it. The right
// matrix is packed, a few registers per row. A tile of sums stays in registers while s runs over
// all steps, and each s costs one broadcast per row.

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
struct UnrolledProduct {
  static constexpr int64_t kWidth = 2 * kLanes<T>; // width of the right matrix, or half of it
  // Rows of a tile: its sums, a row of the right matrix and a broadcast fit the register file.
  static constexpr int kRows = at::vec::kVectorBytes == 64 ? 8 : 6;

  const int64_t* steps;
  int64_t count; // number of steps
  const T* right;
  int64_t width; // kWidth or kWidth / 2

  // The number of columns packed for `columns` needed ones, which are at most kWidth.
  static int64_t packed_width(int64_t columns) {
    return columns > kWidth / 2 ? kWidth : kWidth / 2;
  }

  // sums[j][c] += sum over s of rows[j][steps[s]] * right[s][c], where rows of sums are kWidth
  // apart. Splits the rows into tiles of nearly equal size.
  void add(int64_t count_of_rows, const T* const* rows, T* sums) const {
    const int64_t tiles = (count_of_rows + kRows - 1) / kRows;
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t first = count_of_rows * i / tiles;
      const int64_t size = count_of_rows * (i + 1) / tiles - first;
      if (width == kWidth) {
        add_tile<2, kRows>(size, rows + first, sums + first * kWidth);
      } else {
        add_tile<1, kRows>(size, rows + first, sums + first * kWidth);
      }
    }
  }

 private:
  template <int kRegisters, int kCount>
  void add_tile(int64_t size, const T* const* rows, T* sums) const {
    if constexpr (kCount > 1) {
      if (size < kCount) {
        return add_tile<kRegisters, kCount - 1>(size, rows, sums);
      }
    }
    tile<kRegisters, kCount>(rows, sums);
  }

  template <int kRegisters, int kCount>
  C10_NOINLINE void tile(const T* const* rows, T* sums) const {
    constexpr int L = kLanes<T>;
    const T* row[kCount];
    std::copy_n(rows, kCount, row);
    // Starts from zero and adds to the sums at the end, so that long sums are sums of short ones.
    Lanes<T> sum[kCount][kRegisters] = {};
    const T* factors = right;
    const int64_t* const last = steps + count;
    for (const int64_t* step = steps; step != last; ++step, factors += kRegisters * L) {
      Lanes<T> factor[kRegisters];
#pragma GCC unroll 2
      for (int r = 0; r < kRegisters; ++r) {
        factor[r] = load_lanes<T>(factors + r * L);
      }
#pragma GCC unroll 8
      for (int j = 0; j < kCount; ++j) {
        const Lanes<T> by = splat<T>(row[j][*step]);
#pragma GCC unroll 2
        for (int r = 0; r < kRegisters; ++r) {
          sum[j][r] = at::vec::fma(by, factor[r], sum[j][r]);
        }
      }
    }
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
#pragma GCC unroll 2
      for (int r = 0; r < kRegisters; ++r) {
        T* const total = sums + j * kWidth + r * L;
        store_lanes<T>(total, load_lanes<T>(total) + sum[j][r]);
      }
    }
  }
};

} // namespace CPU_CAPABILITY
} // namespace at::native
