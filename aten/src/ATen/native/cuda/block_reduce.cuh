#pragma once

// Reductions and scans of values that the threads of a warp or a block hold, one each. Every lane
// of a warp must take part, so blocks have whole warps. `combine` must be associative and, except
// in scans, commutative; results are the same in every run, because the order of additions depends
// only on the size of the block.

#include <c10/cuda/CUDAShared.h>
#include <c10/macros/Macros.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace at::native {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kFullWarp = 0xffffffffu;

namespace detail {

// Applies a shuffle to a value of any size, one word at a time.
template <typename T, typename Shuffle>
C10_DEVICE inline T shuffle_words(const T& value, const Shuffle& shuffle) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr int kWords = static_cast<int>((sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned));
  unsigned words[kWords] = {};
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    words[i] = shuffle(words[i]);
  }
  T result = value;
  memcpy(&result, words, sizeof(T));
  return result;
}

} // namespace detail

template <typename T>
C10_DEVICE inline T warp_shuffle_down(const T& value, unsigned delta, int width = kWarpSize) {
  return detail::shuffle_words(
      value, [=](unsigned word) { return __shfl_down_sync(kFullWarp, word, delta, width); });
}

template <typename T>
C10_DEVICE inline T warp_shuffle_up(const T& value, unsigned delta, int width = kWarpSize) {
  return detail::shuffle_words(
      value, [=](unsigned word) { return __shfl_up_sync(kFullWarp, word, delta, width); });
}

template <typename T>
C10_DEVICE inline T warp_shuffle_xor(const T& value, int mask, int width = kWarpSize) {
  return detail::shuffle_words(
      value, [=](unsigned word) { return __shfl_xor_sync(kFullWarp, word, mask, width); });
}

// The first lane of each group of `width` lanes gets the result; `width` is a power of two.
template <typename T, typename Combine>
C10_DEVICE inline T warp_reduce(T value, const Combine& combine, int width = kWarpSize) {
  for (int delta = width / 2; delta > 0; delta /= 2) {
    value = combine(value, warp_shuffle_down(value, static_cast<unsigned>(delta), width));
  }
  return value;
}

// Every lane of the group gets the result.
template <typename T, typename Combine>
C10_DEVICE inline T warp_all_reduce(T value, const Combine& combine, int width = kWarpSize) {
  for (int mask = width / 2; mask > 0; mask /= 2) {
    value = combine(value, warp_shuffle_xor(value, mask, width));
  }
  return value;
}

// Reduces each group of blockDim.x threads with the same threadIdx.y; its first thread gets the
// result. blockDim.x is a power of two. `shared` has room for one value per warp of the block.
template <typename T, typename Combine>
C10_DEVICE inline T block_reduce_x(T value, const Combine& combine, T* shared) {
  const int width = static_cast<int>(blockDim.x);
  if (width <= kWarpSize) {
    return warp_reduce(value, combine, width);
  }
  const int warps = width / kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  T* row = shared + static_cast<int>(threadIdx.y) * warps;
  value = warp_reduce(value, combine);
  if (lane == 0) row[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = warp_reduce(row[lane % warps], combine, warps);
  }
  __syncthreads(); // `shared` may be used again
  return value;
}

// The same, and every thread of the group gets the result.
template <typename T, typename Combine>
C10_DEVICE inline T block_all_reduce_x(T value, const Combine& combine, T* shared) {
  const int width = static_cast<int>(blockDim.x);
  if (width <= kWarpSize) {
    return warp_all_reduce(value, combine, width);
  }
  const int warps = width / kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  T* row = shared + static_cast<int>(threadIdx.y) * warps;
  value = warp_all_reduce(value, combine);
  if (lane == 0) row[warp] = value;
  __syncthreads();
  value = warp_all_reduce(row[lane % warps], combine, warps);
  __syncthreads();
  return value;
}

// Reduces the threads with the same threadIdx.x over threadIdx.y; the first of them gets the
// result. blockDim.y is a power of two. `shared` has room for one value per thread of the block.
template <typename T, typename Combine>
C10_DEVICE inline T block_reduce_y(T value, const Combine& combine, T* shared) {
  if (blockDim.y == 1) {
    return value;
  }
  const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;
  shared[at] = value;
  __syncthreads();
  for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
    if (threadIdx.y < half) {
      value = combine(value, shared[at + half * blockDim.x]);
      shared[at] = value;
    }
    __syncthreads();
  }
  return value;
}

// The inclusive scan over the block's threads in x. `shared` has room for one value per warp.
template <typename T, typename Combine>
C10_DEVICE inline T block_inclusive_scan(T value, const Combine& combine, T* shared) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  for (int delta = 1; delta < kWarpSize; delta *= 2) {
    const T before = warp_shuffle_up(value, static_cast<unsigned>(delta));
    if (lane >= delta) value = combine(before, value);
  }
  if (lane == kWarpSize - 1) shared[warp] = value;
  __syncthreads();
  if (warp > 0) {
    T before = shared[0];
    for (int w = 1; w < warp; ++w) {
      before = combine(before, shared[w]);
    }
    value = combine(before, value);
  }
  __syncthreads();
  return value;
}

} // namespace at::native
