#pragma once

// Kernels that give each row of a contiguous matrix to a group of threads with the same
// threadIdx.y, or each column of [outer, n, inner] to the threads with the same threadIdx.x.

#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/Reduce.cuh>
#include <ATen/native/cuda/block_reduce.cuh>

namespace at::native {

struct RowGrid {
  unsigned grid;
  dim3 block;

  int64_t threads() const { return static_cast<int64_t>(block.x) * block.y; }
};

// `units` is the number of loads that a row takes.
inline RowGrid row_grid(int64_t rows, int64_t units) {
  constexpr int64_t kThreads = 128;
  constexpr int64_t kMost = 512;
  // Up to four loads per lane, a warp's exchange is cheaper than a barrier.
  int64_t lanes = units <= 128 ? std::min<int64_t>(32, ceil_pow2(units))
                               : std::min(kMost, floor_pow2(units / 2));
  lanes = std::max<int64_t>(lanes, 1);
  int64_t each = std::max<int64_t>(1, std::min(ceil_pow2(rows), kThreads / lanes));
  each = std::max(each, 32 / lanes);
  return {
      static_cast<unsigned>(ceil_div(rows, each)),
      dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(each))};
}

// Neighboring columns in x, so that a warp reads adjacent elements; up to 8 threads share a column.
inline RowGrid column_grid(int64_t columns, int64_t n) {
  const int64_t x = std::min<int64_t>(32, ceil_pow2(columns));
  int64_t y = std::min<int64_t>(floor_pow2(n), 8);
  y = std::max(y, 32 / x);
  return {
      static_cast<unsigned>(ceil_div(columns, x)),
      dim3(static_cast<unsigned>(x), static_cast<unsigned>(y))};
}

// How many elements 128-bit loads take, if all of these pointers and rows of `n` elements allow it.
template <typename T, typename... Pointers>
int vector_width(int64_t n, Pointers... pointers) {
  constexpr int kVector = static_cast<int>(16 / sizeof(T));
  const bool aligned = ((reinterpret_cast<uintptr_t>(pointers) % 16 == 0) && ...);
  return aligned && n % kVector == 0 ? kVector : 1;
}

// Calls f(i, values) for the elements of a row that belong to a lane, `kVector` at a time.
template <int kVector, typename T, typename F>
C10_DEVICE inline void for_row(const T* row, int64_t n, const F& f) {
  const auto* packs = reinterpret_cast<const detail::Packed<T, kVector>*>(row);
  for (int64_t i = threadIdx.x; i < n / kVector; i += blockDim.x) {
    f(i * kVector, packs[i]);
  }
}

template <int kVector, typename T>
C10_DEVICE inline detail::Packed<T, kVector> load_pack(const T* row, int64_t at) {
  return *reinterpret_cast<const detail::Packed<T, kVector>*>(row + at);
}

template <int kVector, typename T>
C10_DEVICE inline void store_pack(T* row, int64_t at, const detail::Packed<T, kVector>& pack) {
  *reinterpret_cast<detail::Packed<T, kVector>*>(row + at) = pack;
}

} // namespace at::native
