#pragma once

// Full registers of at::vec for kernels that fold rows: loads that widen (half types to float,
// narrow integers to 32 bits), partial registers, and folds across a register.

#include <ATen/cpu/vec/vec_memory.h>

#include <cstdint>
#include <type_traits>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <class T>
inline constexpr int kLanes = at::vec::kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
using Lanes = at::vec::Lanes<T, kLanes<T>>;

template <class T>
inline Lanes<T> splat(T value) {
  return at::vec::splat<Lanes<T>>(value);
}

template <class Lane, class In>
inline Lane to_lane(In x) {
  return static_cast<Lane>(static_cast<at::vec::lane_type<In>>(x));
}

template <class Lane, class V>
inline Lanes<Lane> to_lanes(V stored) {
  if constexpr (std::is_same_v<at::vec::element_of<V>, Lane>) {
    return stored;
  } else {
    return at::vec::convert_lanes<Lane>(stored);
  }
}

// Reads kLanes<Lane> adjacent elements, converted to Lane.
template <class Lane, class In>
inline Lanes<Lane> load_lanes(const In* p) {
  return to_lanes<Lane>(at::vec::load<In, kLanes<Lane>>(p));
}

template <class Out, class Lane>
inline void save_lanes(Out* p, Lanes<Lane> v) {
  at::vec::store<Out, kLanes<Lane>>(p, v);
}

template <class Lane>
inline void store_lanes(Lane* p, Lanes<Lane> v) {
  at::vec::store<Lane, kLanes<Lane>>(p, v);
}

// Reads `count` elements, or a full register of them; the other lanes hold `fill`.
template <class Lane, class In>
inline Lanes<Lane> load_up_to(const In* p, int64_t count, Lane fill) {
  if (count >= kLanes<Lane>) {
    return load_lanes<Lane>(p);
  }
  return to_lanes<Lane>(at::vec::load_first<In, kLanes<Lane>>(p, count, static_cast<In>(fill)));
}

template <class Out, class Lane>
inline void save_up_to(Out* p, Lanes<Lane> v, int64_t count) {
  if (count >= kLanes<Lane>) {
    return save_lanes<Out, Lane>(p, v);
  }
  at::vec::store_first<Out, kLanes<Lane>>(p, v, count);
}

// Folds a register to one value as a balanced tree.
template <class Lane, class Merge>
inline Lane fold_lanes(Lanes<Lane> v, const Merge& merge) {
  alignas(at::vec::kVectorBytes) Lane x[kLanes<Lane>];
  store_lanes(x, v);
  for (int half = kLanes<Lane> / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) {
      x[i] = merge(x[i], x[i + half]);
    }
  }
  return x[0];
}

// The lane type in which an element type is reduced: half types in float, 8 and 16 bit integers in
// 32 bits.
template <class T>
using wide_lane_t =
    std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), int32_t, at::vec::lane_type<T>>;

// The scalar that carries a reduction from one register to the next.
template <class T>
using carry_t = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

// The greater of two lanes; NaN if either is NaN.
template <class V>
inline V lane_max(V a, V b) {
  return ((b > a) | (b != b)) ? b : a;
}

} // namespace CPU_CAPABILITY
} // namespace at::native
