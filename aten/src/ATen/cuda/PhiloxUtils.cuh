#pragma once

#include <ATen/core/PhiloxRNGEngine.h>
#include <ATen/cuda/PhiloxCudaState.h>

#include <cuda_runtime.h>

namespace at::cuda::philox {

struct SeedAndOffset {
  uint64_t seed;
  uint64_t offset;
};

__device__ __forceinline__ SeedAndOffset unpack(const PhiloxCudaState& state) {
  if (state.captured_) {
    return {
        static_cast<uint64_t>(*state.seed_.ptr),
        static_cast<uint64_t>(*state.offset_.ptr) + state.offset_intragraph_};
  }
  return {state.seed_.val, state.offset_.val};
}

// The engine of the calling thread, which has `subsequence` as its number.
__device__ __forceinline__ Philox4_32 engine(const PhiloxCudaState& state, uint64_t subsequence) {
  const SeedAndOffset start = unpack(state);
  return Philox4_32(start.seed, subsequence, start.offset);
}

} // namespace at::cuda::philox
