#pragma once

#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

// The matrix product behind a convolution, without the unrolled image that "im2col" stores: its
// element (j, s) is row_j[step_s], given an array and two lists of offsets into it. The right
// matrix is packed, a few registers per row. A tile of sums stays in registers while s runs over
// all steps, and each s costs one broadcast per row. Rows that start at adjacent elements share a
// pointer, so that a tile of many rows needs few of them.

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
struct UnrolledProduct {
  static constexpr bool kWide = at::vec::kVectorBytes == 64; // 32 registers instead of 16
  static constexpr int64_t kWidth = 2 * kLanes<T>; // width of the right matrix, or half of it
  // Rows of a tile: its sums, a row of the right matrix and a broadcast fit the register file, and
  // pointers to the rows the general registers.
  static constexpr int kRows = kWide ? 8 : 6;
  static constexpr int kAdjacentRows = kWide ? 14 : 6;
  // The same for rows of one run and one register, which often divides rows of images evenly, and
  // for those of a few runs, which share the loads of that register.
  static constexpr int kNarrowRows = kWide ? 16 : 6;
  static constexpr int kNarrowRunRows = kWide ? 28 : 6;

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
    for_each_part(count_of_rows, kRows, [&](int64_t first, int64_t size) {
      if (width == kWidth) {
        add_rows<2, kRows>(size, rows + first, sums + first * kWidth);
      } else {
        add_rows<1, kRows>(size, rows + first, sums + first * kWidth);
      }
    });
  }

  // The number of runs of this length that make a tile.
  static int64_t runs_of_tile(int64_t length) {
    return length == 1                ? kRows
        : length * 4 <= kAdjacentRows ? 4
        : length * 2 <= kAdjacentRows ? 2
                                      : 1;
  }

  // The same for `runs` runs of `length` rows each, given the first row of every run. Rows of a run
  // start one or two elements apart, and the sums of runs `pitch` rows apart.
  void add_runs(
      int64_t runs, int64_t length, const T* const* first_rows, T* sums, int64_t pitch,
      int64_t apart = 1) const {
    if (length == 1 && pitch == 1) {
      add(runs, first_rows, sums);
    } else if (apart == 1) {
      add_runs_apart<1>(runs, length, first_rows, sums, pitch);
    } else {
      add_runs_apart<2>(runs, length, first_rows, sums, pitch);
    }
  }

 private:
  // Calls f(first, size) for parts of nearly equal size, which is at most `most`.
  template <typename F>
  static void for_each_part(int64_t all, int64_t most, const F& f) {
    const int64_t parts = (all + most - 1) / most;
    for (int64_t i = 0; i < parts; ++i) {
      const int64_t first = all * i / parts;
      f(first, all * (i + 1) / parts - first);
    }
  }

  template <int kApart>
  void add_runs_apart(
      int64_t runs, int64_t length, const T* const* first_rows, T* sums, int64_t pitch) const {
    if (width == kWidth) {
      add_some_runs<2, kApart>(runs, length, first_rows, sums, pitch);
    } else {
      add_some_runs<1, kApart>(runs, length, first_rows, sums, pitch);
    }
  }

  template <int kRegisters, int kApart>
  void add_some_runs(
      int64_t runs, int64_t length, const T* const* first_rows, T* sums, int64_t pitch) const {
    // Short runs are taken two, or four, at a time, and so are parts of long ones if they share one
    // register.
    constexpr bool kNarrow = kRegisters == 1 && kApart == 1 && kWide;
    constexpr int kRowsOfRuns = kNarrow ? kNarrowRunRows : kAdjacentRows;
    int64_t run = 0;
    const auto take = [&]<int kRuns>(std::integral_constant<int, kRuns>, bool divides) {
      constexpr int kMost = kRowsOfRuns / kRuns;
      for (; (length <= kMost || divides) && run + kRuns <= runs; run += kRuns) {
        for_each_part(length, kMost, [&](int64_t first, int64_t size) {
          const T* rows[kRuns];
          for (int i = 0; i < kRuns; ++i) {
            rows[i] = first_rows[run + i] + first * kApart;
          }
          add_adjacent<kRegisters, kApart, kRuns, kMost>(
              size, rows, sums + (run * pitch + first) * kWidth, pitch);
        });
      }
    };
    take(std::integral_constant<int, 4>{}, false);
    take(std::integral_constant<int, 2>{}, kNarrow);
    for (; run < runs; ++run) {
      constexpr int kMost = kRegisters == 1 ? kNarrowRows : kAdjacentRows;
      for_each_part(length, kMost, [&](int64_t first, int64_t size) {
        const T* const row = first_rows[run] + first * kApart;
        add_adjacent<kRegisters, kApart, 1, kMost>(
            size, &row, sums + (run * pitch + first) * kWidth, pitch);
      });
    }
  }

  template <int kRegisters, int kCount>
  void add_rows(int64_t size, const T* const* rows, T* sums) const {
    if constexpr (kCount > 1) {
      if (size < kCount) {
        return add_rows<kRegisters, kCount - 1>(size, rows, sums);
      }
    }
    tile<kRegisters, 1, kCount, 1>(rows, sums, 1);
  }

  template <int kRegisters, int kApart, int kRuns, int kLength>
  void add_adjacent(int64_t length, const T* const* first_rows, T* sums, int64_t pitch) const {
    if constexpr (kLength > 1) {
      if (length < kLength) {
        return add_adjacent<kRegisters, kApart, kRuns, kLength - 1>(
            length, first_rows, sums, pitch);
      }
    }
    tile<kRegisters, kApart, kRuns, kLength>(first_rows, sums, pitch);
  }

  template <int kRegisters, int kApart, int kRuns, int kLength>
  C10_NOINLINE void tile(const T* const* rows, T* sums, int64_t pitch) const {
    constexpr int L = kLanes<T>, kCount = kRuns * kLength;
    const T* row[kRuns];
    std::copy_n(rows, kRuns, row);
    // Starts from zero and adds to the sums at the end, so that long sums are sums of short ones.
    Lanes<T> sum[kCount][kRegisters] = {};
    const T* factors = right;
    const int64_t* const last = steps + count;
    for (const int64_t* step = steps; step != last; ++step, factors += kRegisters * L) {
      const T* from[kRuns];
#pragma GCC unroll 8
      for (int run = 0; run < kRuns; ++run) {
        from[run] = row[run] + *step;
        // A multiplication that broadcasts from memory is one operation of the processor only if
        // its address has no index.
        if constexpr (kWide && kRegisters == 1 && kLength > 1) {
          asm("" : "+r"(from[run]));
        }
      }
      Lanes<T> factor[kRegisters];
#pragma GCC unroll 2
      for (int r = 0; r < kRegisters; ++r) {
        factor[r] = load_lanes<T>(factors + r * L);
      }
#pragma GCC unroll 28
      for (int j = 0; j < kCount; ++j) {
        const Lanes<T> by = splat<T>(from[j / kLength][j % kLength * kApart]);
#pragma GCC unroll 2
        for (int r = 0; r < kRegisters; ++r) {
          sum[j][r] = at::vec::fma(by, factor[r], sum[j][r]);
        }
      }
    }
#pragma GCC unroll 28
    for (int j = 0; j < kCount; ++j) {
#pragma GCC unroll 2
      for (int r = 0; r < kRegisters; ++r) {
        T* const total = sums + (j / kLength * pitch + j % kLength) * kWidth + r * L;
        store_lanes<T>(total, load_lanes<T>(total) + sum[j][r]);
      }
    }
  }
};

} // namespace CPU_CAPABILITY
} // namespace at::native
