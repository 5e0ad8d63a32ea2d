#pragma once

// A stable radix sort of rows that are too long for one block: pairs of an unsigned key and a
// position, digit by digit of 8 bits from the lowest. A pass counts the digits of each tile, finds
// where each tile's elements of each digit go, and moves them. The result is the same in every run.

#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/block_reduce.cuh>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAShared.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace at::native::radix {

constexpr int kThreads = 256; // one for each value of a digit
constexpr int kWarps = kThreads / kWarpSize;
constexpr int64_t kTile = 4096;

struct Plus {
  C10_DEVICE uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
};

C10_DEVICE inline uint32_t count_bits(unsigned bits) {
#if defined(__CUDACC__)
  return static_cast<uint32_t>(__popc(bits));
#else
  return static_cast<uint32_t>(std::popcount(bits));
#endif
}

template <typename Key>
C10_DEVICE unsigned digit_of(Key key, int shift) {
  return static_cast<unsigned>((key >> shift) & Key(255));
}

// counts[row][digit][tile]
template <typename Key>
__global__ void __launch_bounds__(kThreads)
    count_kernel(const Key* keys, int64_t n, int64_t tiles, int shift, uint32_t* counts) {
  C10_SHARED(uint32_t, local, kThreads);
  const int64_t row = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  const Key* from = keys + row * n;
  const int64_t end = (tile + 1) * kTile < n ? (tile + 1) * kTile : n;
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int64_t i = tile * kTile + threadIdx.x; i < end; i += kThreads) {
    atomicAdd(local + digit_of(from[i], shift), 1u);
  }
  __syncthreads();
  counts[(row * kThreads + threadIdx.x) * tiles + tile] = local[threadIdx.x];
}

// Turns the counts of a digit's tiles into sums of those before, and stores the total. One block
// for each row and digit.
inline __global__ void __launch_bounds__(kThreads)
    scan_kernel(uint32_t* counts, int64_t tiles, uint32_t* totals) {
  C10_SHARED(uint32_t, warps, kWarps);
  C10_SHARED(uint32_t, last, 1);
  uint32_t* row = counts + static_cast<int64_t>(blockIdx.x) * tiles;
  uint32_t before = 0;
  for (int64_t start = 0; start < tiles; start += blockDim.x) {
    const int64_t i = start + threadIdx.x;
    const uint32_t mine = i < tiles ? row[i] : 0;
    const uint32_t through = block_inclusive_scan(mine, Plus(), warps);
    if (i < tiles) row[i] = before + through - mine;
    if (threadIdx.x == blockDim.x - 1) last[0] = through;
    __syncthreads();
    before += last[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

// Moves a tile, 256 elements at a time. In a round, an element comes after those of its digit in
// earlier rounds, in earlier warps, and in earlier lanes of its warp.
template <typename Key>
__global__ void __launch_bounds__(kThreads) move_kernel(
    const Key* keys, const uint32_t* positions, int64_t n, int64_t tiles, int shift,
    const uint32_t* counts, const uint32_t* totals, Key* out_keys, uint32_t* out_positions) {
  C10_SHARED(uint32_t, next, kThreads);             // where the next element of a digit goes
  C10_SHARED(uint32_t, in_warp, kWarps * kThreads); // elements of a digit in each warp
  C10_SHARED(uint32_t, warps, kWarps);
  const int64_t row = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarpSize, warp = thread / kWarpSize;
  const uint32_t total = totals[row * kThreads + thread];
  const uint32_t through = block_inclusive_scan(total, Plus(), warps);
  next[thread] = through - total + counts[(row * kThreads + thread) * tiles + tile];
  for (int w = 0; w < kWarps; ++w) {
    in_warp[w * kThreads + thread] = 0;
  }
  __syncthreads();
  const int64_t first = tile * kTile, end = first + kTile < n ? first + kTile : n;
  for (int64_t start = first; start < end; start += kThreads) {
    const int64_t i = start + thread;
    const bool inside = i < end;
    const Key key = inside ? keys[row * n + i] : Key(0);
    const unsigned digit = digit_of(key, shift);
    unsigned same = __ballot_sync(kFullWarp, inside);
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      const bool one = (digit >> bit & 1) != 0;
      const unsigned lanes = __ballot_sync(kFullWarp, one);
      same &= one ? lanes : ~lanes;
    }
    const auto rank = count_bits(same & ((1u << lane) - 1));
    if (inside && rank == 0) {
      in_warp[warp * kThreads + static_cast<int>(digit)] = count_bits(same);
    }
    __syncthreads();
    if (inside) {
      uint32_t place = next[digit] + rank;
      for (int w = 0; w < warp; ++w) {
        place += in_warp[w * kThreads + static_cast<int>(digit)];
      }
      out_keys[row * n + place] = key;
      out_positions[row * n + place] =
          positions == nullptr ? static_cast<uint32_t>(i) : positions[row * n + i];
    }
    __syncthreads();
    for (int w = 0; w < kWarps; ++w) {
      next[thread] += in_warp[w * kThreads + thread];
      in_warp[w * kThreads + thread] = 0;
    }
    __syncthreads();
  }
}

// Device memory for `count` values, of the current stream.
template <typename T>
struct Buffer {
  explicit Buffer(int64_t count)
      : memory(c10::cuda::CUDACachingAllocator::get()->allocate(
            static_cast<size_t>(count) * sizeof(T))) {}
  T* data() const { return static_cast<T*>(memory.get()); }
  c10::DataPtr memory;
};

// Sorts `rows` rows of n < 2^32 keys, which are overwritten, and returns the positions, in the
// order of the sorted keys.
template <typename Key>
Buffer<uint32_t> sorted_positions(Buffer<Key>& keys, int64_t rows, int64_t n) {
  TORCH_CHECK(n <= UINT32_MAX, "sorting ", n, " elements at once is not supported");
  const int64_t tiles = ceil_div(n, kTile);
  const Buffer<uint32_t> counts(rows * kThreads * tiles), totals(rows * kThreads);
  Buffer<Key> other_keys(rows * n);
  Buffer<uint32_t> positions(rows * n), other_positions(rows * n);
  const auto blocks = static_cast<unsigned>(rows * tiles);
  const auto scan_threads =
      static_cast<unsigned>(std::clamp<int64_t>(ceil_pow2(tiles), kWarpSize, kThreads));
  for (int shift = 0; shift < static_cast<int>(sizeof(Key)) * 8; shift += 8) {
    launch_on_current_stream(
        count_kernel<Key>, blocks, kThreads, 0, keys.data(), n, tiles, shift, counts.data());
    launch_on_current_stream(
        scan_kernel, static_cast<unsigned>(rows * kThreads), scan_threads, 0, counts.data(), tiles,
        totals.data());
    const uint32_t* from = shift == 0 ? nullptr : positions.data();
    launch_on_current_stream(
        move_kernel<Key>, blocks, kThreads, 0, keys.data(), from, n, tiles, shift, counts.data(),
        totals.data(), other_keys.data(), other_positions.data());
    std::swap(keys, other_keys);
    std::swap(positions, other_positions);
  }
  return positions;
}

} // namespace at::native::radix
