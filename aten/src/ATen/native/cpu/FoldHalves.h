#pragma once

#include <ATen/native/cpu/Lanes.h>

#include <cstring>

namespace at::native {
inline namespace CPU_CAPABILITY {

// fold_lanes for a `merge` that also takes vectors of any length: halves a register while it is
// longer than 16 bytes. The order is the same.
template <class T, int N, class Merge>
inline T fold_halves(at::vec::Lanes<T, N> v, const Merge& merge) {
  if constexpr (sizeof(v) > 16) {
    at::vec::Lanes<T, N / 2> low, high;
    std::memcpy(&low, &v, sizeof(low));
    std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof(low), sizeof(high));
    return fold_halves<T, N / 2>(merge(low, high), merge);
  } else if constexpr (N == 4) {
    return merge(merge(T(v[0]), T(v[2])), merge(T(v[1]), T(v[3])));
  } else if constexpr (N == 2) {
    return merge(T(v[0]), T(v[1]));
  } else {
    T x[N];
    std::memcpy(x, &v, sizeof(v));
    for (int half = N / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) {
        x[i] = merge(x[i], x[i + half]);
      }
    }
    return x[0];
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
