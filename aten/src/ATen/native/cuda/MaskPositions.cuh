#pragma once

// Compaction: the true elements of a mask, in order.

#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/block_reduce.cuh>
#include <c10/cuda/CUDACachingAllocator.h>

namespace at::native {

namespace detail {

inline constexpr int kMaskItems = 4; // adjacent elements of a thread

C10_DEVICE inline int count_items(const bool* mask, int64_t n, int64_t first) {
  int count = 0;
#pragma unroll
  for (int k = 0; k < kMaskItems; ++k) {
    count += first + k < n && mask[first + k] ? 1 : 0;
  }
  return count;
}

C10_DEVICE inline int64_t first_item() {
  return (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kMaskItems;
}

inline __global__ void count_mask_kernel(const bool* mask, int64_t n, int64_t* counts) {
  C10_DYNAMIC_SHARED(int, shared);
  const int count = block_reduce_x(
      count_items(mask, n, first_item()), [](int a, int b) { return a + b; }, shared);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// Exclusive running sums of `counts`, and the total behind them; one block.
inline __global__ void start_positions_kernel(int64_t* counts, int64_t n) {
  C10_DYNAMIC_SHARED(int64_t, shared);
  int64_t carry = 0;
  for (int64_t start = 0; start < n; start += blockDim.x) {
    const int64_t i = start + threadIdx.x;
    const int64_t count = i < n ? counts[i] : 0;
    const int64_t inclusive = block_inclusive_scan(
        count, [](int64_t a, int64_t b) { return a + b; }, shared);
    if (i < n) counts[i] = carry + inclusive - count;
    if (threadIdx.x == blockDim.x - 1) shared[0] = inclusive;
    __syncthreads();
    carry += shared[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) counts[n] = carry;
}

template <typename F>
__global__ void visit_true_kernel(const bool* mask, int64_t n, const int64_t* starts, F f) {
  C10_DYNAMIC_SHARED(int, shared);
  const int64_t first = first_item();
  const int count = count_items(mask, n, first);
  const int inclusive = block_inclusive_scan(
      count, [](int a, int b) { return a + b; }, shared);
  int64_t rank = starts[blockIdx.x] + inclusive - count;
#pragma unroll
  for (int k = 0; k < kMaskItems; ++k) {
    if (first + k < n && mask[first + k]) f(first + k, rank++);
  }
}

} // namespace detail

class DeviceMask {
 public:
  // Counts the true elements; `total` waits for the result.
  DeviceMask(const bool* mask, int64_t n) : mask_(mask), n_(n) {
    threads_ = static_cast<unsigned>(
        std::clamp<int64_t>(ceil_pow2(ceil_div(n, detail::kMaskItems)), 32, 256));
    blocks_ = ceil_div(n, static_cast<int64_t>(threads_) * detail::kMaskItems);
    starts_ = c10::cuda::CUDACachingAllocator::get()->allocate(
        static_cast<size_t>(blocks_ + 1) * sizeof(int64_t));
    const size_t warps = threads_ / 32;
    if (blocks_ > 0) {
      launch_on_current_stream(
          detail::count_mask_kernel, static_cast<unsigned>(blocks_), threads_, warps * sizeof(int),
          mask_, n_, starts());
    }
    const auto threads = static_cast<unsigned>(std::clamp<int64_t>(ceil_pow2(blocks_), 32, 512));
    launch_on_current_stream(
        detail::start_positions_kernel, 1, threads, threads / 32 * sizeof(int64_t), starts(),
        blocks_);
  }

  int64_t total() const {
    int64_t result = 0;
    const auto stream = c10::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaMemcpyAsync(
        &result, starts() + blocks_, sizeof(result), cudaMemcpyDeviceToHost, stream.stream()));
    stream.synchronize();
    return result;
  }

  // Calls f(position, rank) on the device for each true element.
  template <typename F>
  void for_each(const F& f) const {
    if (blocks_ > 0) {
      launch_on_current_stream(
          detail::visit_true_kernel<F>, static_cast<unsigned>(blocks_), threads_,
          threads_ / 32 * sizeof(int), mask_, n_, starts(), f);
    }
  }

 private:
  int64_t* starts() const { return static_cast<int64_t*>(starts_.get()); }

  const bool* mask_;
  int64_t n_;
  unsigned threads_;
  int64_t blocks_;
  c10::DataPtr starts_;
};

} // namespace at::native
