#pragma once

#include <ATen/cpu/vec/vec_machine.h>
#include <ATen/native/cpu/Lanes.h>

#include <limits>
#include <type_traits>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Maximum or minimum; once a NaN has been seen, the result stays NaN.
template <class In, bool is_max>
struct ExtremumOp {
  using in_t = In;
  using lane_t = std::conditional_t<std::is_integral_v<In>, In, wide_lane_t<In>>;
  using acc_t = carry_t<In>;
  static constexpr int64_t kBlock = 4096;

  static constexpr lane_t identity() { return extreme<lane_t>(); }
  static constexpr acc_t carry_identity() { return extreme<acc_t>(); }

  // `x` replaces `a` if it is more extreme or a NaN; comparisons with a NaN in `a` are false.
  template <class T>
  static T step(T a, T x) {
    if constexpr (std::is_integral_v<In>) {
      return is_max ? (x > a ? x : a) : (x < a ? x : a);
    } else {
      return is_max ? (((x > a) | (x != x)) ? x : a) : (((x < a) | (x != x)) ? x : a);
    }
  }
  template <class T>
  static T merge(T a, T b) {
    return step(a, b);
  }
  // Folds two vectors or lanes of floats without NaNs, in one instruction where step() takes four.
  template <class T>
  static T quick(T a, T x) requires std::is_floating_point_v<lane_t> {
    if constexpr (std::is_same_v<T, lane_t>) {
      return is_max ? (x > a ? x : a) : (x < a ? x : a);
    } else {
      return is_max ? at::vec::at_least(a, x) : at::vec::at_most(a, x);
    }
  }
  static acc_t fold(acc_t a, lane_t b) { return step<acc_t>(a, static_cast<acc_t>(b)); }
  static acc_t combine(acc_t a, acc_t b) { return step(a, b); }

 private:
  template <class T>
  static constexpr T extreme() {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::has_infinity) {
      return is_max ? -Limits::infinity() : Limits::infinity();
    } else {
      return is_max ? Limits::min() : Limits::max();
    }
  }
};

} // namespace CPU_CAPABILITY
} // namespace at::native
