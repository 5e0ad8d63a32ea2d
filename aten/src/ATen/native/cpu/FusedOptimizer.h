#pragma once

// One step of an optimizer over all its parameters; reads and writes each element once.

#include <ATen/native/FusedOptimizers.h>

#include <ATen/Parallel.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {

using OptimizedTensors = c10::ArrayRef<OptimizerArrays>;

// Calls update(parameter, gradient, states...) on registers of elements [begin, end) of one tensor.
template <typename T, int States, typename Update>
void run_range(const OptimizerArrays& arrays, int64_t begin, int64_t end, const Update& update) {
  using Lane = vec::lane_type<T>;
  T* const parameter = static_cast<T*>(arrays.parameter);
  const T* const gradient = static_cast<const T*>(arrays.gradient);
  for (int64_t i = begin; i < end; i += kLanes<Lane>) {
    const int64_t count = end - i;
    auto value = load_up_to<Lane>(parameter + i, count, Lane(0));
    const auto slope = load_up_to<Lane>(gradient + i, count, Lane(0));
    Lanes<Lane> states[OptimizerArrays::kMostStates] = {};
    for (int s = 0; s < States; ++s) {
      states[s] = load_up_to<Lane>(static_cast<T*>(arrays.states[s]) + i, count, Lane(0));
    }
    update(value, slope, states);
    save_up_to<T, Lane>(parameter + i, value, count);
    for (int s = 0; s < States; ++s) {
      save_up_to<T, Lane>(static_cast<T*>(arrays.states[s]) + i, states[s], count);
    }
  }
}

// Splits all tensors as one range, so that many small tensors are balanced as well as a few large
// ones. make(step) returns a tensor's update.
template <typename T, int States, typename Make>
void run_all(OptimizedTensors tensors, const Make& make) {
  constexpr int64_t kGrain = 16384;
  constexpr int64_t kAlign = 64; // ranges end at whole registers
  int64_t total = 0;
  for (const auto& arrays : tensors) {
    total += (arrays.count + kAlign - 1) / kAlign;
  }
  at::parallel_for(0, total, kGrain / kAlign, [&](int64_t begin, int64_t end) {
    int64_t start = 0;
    for (const auto& arrays : tensors) {
      const int64_t stop = start + (arrays.count + kAlign - 1) / kAlign;
      if (start < end && begin < stop) {
        const int64_t from = (std::max(begin, start) - start) * kAlign;
        const int64_t to = std::min((std::min(end, stop) - start) * kAlign, arrays.count);
        run_range<T, States>(arrays, from, to, make(arrays.step));
      }
      start = stop;
    }
  });
}

// The gradient of the minimized function, including weight decay.
template <typename V, typename E>
C10_ALWAYS_INLINE V descent(V gradient, V parameter, E weight_decay, bool maximize) {
  const V slope = maximize ? -gradient : gradient;
  return weight_decay == 0 ? slope : vec::fma(vec::splat<V>(weight_decay), parameter, slope);
}

// sum + factor * value, rounded once as torch.add does with alpha.
template <typename V, typename E>
C10_ALWAYS_INLINE V plus(V sum, E factor, V value) {
  return vec::fma(vec::splat<V>(factor), value, sum);
}

// The average with a share of the square of a value added, as torch.addcmul does.
template <typename V, typename E>
C10_ALWAYS_INLINE V plus_square(V average, E share, V value) {
  return vec::fma(share * value, value, average);
}

// The average moved to a value by a share of the way, from the nearer end as torch.lerp does.
template <typename V, typename E>
C10_ALWAYS_INLINE V moved(V average, V value, E share) {
  const V way = value - average;
  return share < E(0.5) ? plus(average, share, way) : plus(value, share - E(1), way);
}

} // namespace CPU_CAPABILITY
} // namespace at::native
