#pragma once

#include <ATen/native/cpu/Lanes.h>

#include <cstring>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {

// fold_lanes for a `merge` that also takes vectors of any length: halves a register while it is
// longer than 16 bytes. The order is the same. Halves that memcpy copies would keep the register in
// memory, in the loop that fills it too.
template <class T, int N, class Merge>
inline T fold_halves(at::vec::Lanes<T, N> v, const Merge& merge) {
  if constexpr (sizeof(v) > 16) {
    constexpr int kHalf = N / 2;
    return [&]<int... i>(std::integer_sequence<int, i...>) {
      const at::vec::Lanes<T, kHalf> low = __builtin_shufflevector(v, v, i...);
      const at::vec::Lanes<T, kHalf> high = __builtin_shufflevector(v, v, (i + kHalf)...);
      return fold_halves<T, kHalf>(merge(low, high), merge);
    }
    (std::make_integer_sequence<int, kHalf>{});
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
