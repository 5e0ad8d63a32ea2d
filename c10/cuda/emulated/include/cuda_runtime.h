#pragma once

// Stands in for the CUDA toolkit's header of the same name when CUDA_EMULATION is ON: the language
// of kernels as C++. A kernel is an ordinary function, which runs once per thread on a fiber.

#include <cuda_runtime_api.h>

#include <c10/cuda/emulated/DeviceThread.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

#define threadIdx (::cuda_emulation::this_thread().thread_index)
#define blockIdx (::cuda_emulation::this_thread().block_index)
#define blockDim (::cuda_emulation::this_thread().block_size)
#define gridDim (::cuda_emulation::this_thread().grid_size)
constexpr int warpSize = 32;

// ---- barriers: the line of the call names the barrier in reports
#define __syncthreads() \
  static_cast<void>(::cuda_emulation::block_barrier(0, __FILE__, static_cast<int>(__LINE__)))
#define __syncthreads_count(value) \
  (::cuda_emulation::block_barrier((value) != 0, __FILE__, static_cast<int>(__LINE__)))
#define __syncthreads_or(value) static_cast<int>(__syncthreads_count(value) != 0)
#define __syncthreads_and(value) static_cast<int>(__syncthreads_count(!(value)) == 0)
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  ::cuda_emulation::warp_exchange(mask, 0);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

// ---- warp functions: every lane of the mask deposits a word and sees those of all the others
namespace cuda_emulation {

template <typename T>
T shuffle(unsigned mask, T value, int source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t));
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  const uint64_t* words = warp_exchange(mask, word);
  std::memcpy(&value, &words[source], sizeof(T));
  return value;
}
// The first lane of the part of `width` lanes that the calling lane belongs to.
inline int first_lane(int width) {
  return this_thread().lane & ~(width - 1);
}

} // namespace cuda_emulation

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  using namespace cuda_emulation;
  return shuffle(mask, value, first_lane(width) + (source & (width - 1)));
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  using namespace cuda_emulation;
  const int source = this_thread().lane + static_cast<int>(delta);
  return shuffle(mask, value, source < first_lane(width) + width ? source : this_thread().lane);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  using namespace cuda_emulation;
  const int source = this_thread().lane - static_cast<int>(delta);
  return shuffle(mask, value, source >= first_lane(width) ? source : this_thread().lane);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
  using namespace cuda_emulation;
  const int source = this_thread().lane ^ lane_mask;
  return shuffle(mask, value, source < first_lane(width) + width ? source : this_thread().lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const uint64_t* words = ::cuda_emulation::warp_exchange(mask, predicate != 0);
  unsigned result = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    if ((mask >> lane & 1) && words[lane]) result |= 1u << lane;
  }
  return result;
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) == mask;
}

// ---- atomics: blocks run on several threads of the host, so these are real atomic operations.
// What a sum of floating-point numbers or an exchange yields depends on the order of the threads,
// so a kernel that uses them is exempt from the check of that order.
namespace cuda_emulation {

template <typename T, typename Update>
T atomic_update(T* address, Update update) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  T updated = update(old);
  while (!__atomic_compare_exchange(
      address, &old, &updated, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    updated = update(old);
  }
  return old;
}

} // namespace cuda_emulation

template <typename T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  if constexpr (std::is_floating_point_v<T>) ::cuda_emulation::order_dependent();
  return ::cuda_emulation::atomic_update(address, [=](T old) { return old + value; });
}
template <typename T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  return ::cuda_emulation::atomic_update(address, [=](T old) { return old - value; });
}
template <typename T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return ::cuda_emulation::atomic_update(address, [=](T old) { return old < value ? value : old; });
}
template <typename T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return ::cuda_emulation::atomic_update(address, [=](T old) { return value < old ? value : old; });
}
template <typename T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  return ::cuda_emulation::atomic_update(address, [=](T old) { return old & value; });
}
template <typename T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return ::cuda_emulation::atomic_update(address, [=](T old) { return old | value; });
}
template <typename T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  return ::cuda_emulation::atomic_update(address, [=](T old) { return old ^ value; });
}
template <typename T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  ::cuda_emulation::order_dependent();
  return ::cuda_emulation::atomic_update(address, [=](T) { return value; });
}
template <typename T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  ::cuda_emulation::order_dependent();
  return ::cuda_emulation::atomic_update(
      address, [=](T old) { return old == expected ? value : old; });
}
