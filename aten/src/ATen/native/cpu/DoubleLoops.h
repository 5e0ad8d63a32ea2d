#pragma once

// Functions of one or two vectors, mostly of doubles, over rows of floats or doubles.

#include <ATen/native/ElementaryMath.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cstring>

namespace at::native {
inline namespace CPU_CAPABILITY {

using Doubles = Lanes<double>;

template <typename T, typename V>
void save(T* out, V value, int64_t count) {
  const auto rounded = at::vec::convert_lanes<T>(value);
  if (count == at::vec::lanes_of<V>) {
    std::memcpy(out, &rounded, sizeof(rounded));
  } else {
    at::vec::copy_elements<sizeof(T)>(out, &rounded, count);
  }
}

template <typename T, typename Lane = double, typename Function>
C10_NOINLINE void over_lanes(const ElementaryCall& call, const Function& function) {
  constexpr int64_t L = kLanes<Lane>;
  const T* x = static_cast<const T*>(call.x);
  T* out = static_cast<T*>(call.out);
  for (int64_t i = 0; i < call.n; i += L) { // one call, so that the function is inlined once
    const int64_t count = std::min(L, call.n - i);
    save(out + i, function(load_up_to<Lane>(x + i, count, Lane(0.5))), count);
  }
}

template <typename T, typename Function>
C10_NOINLINE void over_pairs_of_doubles(const ElementaryCall& call, const Function& function) {
  constexpr int64_t L = kLanes<double>;
  const T* x = static_cast<const T*>(call.x);
  const T* y = static_cast<const T*>(call.y);
  T* out = static_cast<T*>(call.out);
  for (int64_t i = 0; i < call.n; i += L) {
    const int64_t count = std::min(L, call.n - i);
    const Doubles first = load_up_to<double>(x + i, count, 0.5);
    const Doubles second = load_up_to<double>(y + i, count, 0.5);
    save(out + i, function(first, second), count);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
