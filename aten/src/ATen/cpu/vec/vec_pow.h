#pragma once

#include <ATen/cpu/vec/vec_log.h>

// x to the power y, with C's special cases.

namespace at::vec {
inline namespace CPU_CAPABILITY {

// exp(y log x) for x > 0 in double, where single precision is wanted.
template <typename V>
C10_ALWAYS_INLINE V pow_magnitude(V x, V y) {
  constexpr double kOdd[] = {
      0x1.555554fae173ap-1, 0x1.999a7ea08534cp-2, 0x1.2437ec056f141p-2, 0x1.e317505237641p-3};
  constexpr double kTail[] = {
      0x1p-1,
      0x1.5555555555559p-3,
      0x1.5555555555557p-5,
      0x1.111111110f64ep-7,
      0x1.6c16c16c1577bp-10,
      0x1.a01a01b0077b5p-13};
  using C = ExpConstants<double>;
#if defined(__AVX512F__)
  const auto split = split_by_instruction(x);
#else
  const auto split = split_exponent(x);
#endif
  const V f = split.fraction - 1.0;
  const V s = divide(f, f + 2.0);
  const V z = s * s;
  V log_x = fma(s * z, polynomial(z, kOdd), s + s);
  log_x = fma(split.exponent, splat<V>(0x1.62e42fefa39efp-1), log_x);
#if !defined(__AVX512F__)
  log_x = log_special(x, log_x);
#endif
  const auto reduced = reduce_exp(at_most(at_least(y * log_x, C::kLow), C::kHigh));
  const V r = reduced.r;
  return scale(fma(r * r, polynomial(r, kTail), r) + 1.0, reduced);
}

template <typename V>
C10_NOINLINE V pow_by_lane(V x, V y) {
  V result = x;
  for (int i = 0; i < lanes_of<V>; ++i) {
    result[i] = std::pow(x[i], y[i]);
  }
  return result;
}

// Lanes wider than a register go through memory, so the two halves are taken apart first.
template <typename V>
C10_ALWAYS_INLINE V pow_by_halves(V x, V y) {
  constexpr int kHalf = lanes_of<V> / 2;
  using Half = Lanes<float, kHalf>;
  Half parts_x[2], parts_y[2];
  std::memcpy(parts_x, &x, sizeof(x));
  std::memcpy(parts_y, &y, sizeof(y));
  for (int i = 0; i < 2; ++i) {
    parts_x[i] = convert_lanes<float>(
        pow_magnitude(convert_lanes<double>(parts_x[i]), convert_lanes<double>(parts_y[i])));
  }
  V result;
  std::memcpy(&result, parts_x, sizeof(result));
  return result;
}

template <typename V>
C10_ALWAYS_INLINE V pow(V x, V y) {
  if constexpr (std::is_same_v<element_of<V>, double>) {
    return pow_by_lane(x, y);
  } else {
    const V zero{};
    const V one = zero + 1.0f;
    const V a = abs(x);
    V result = pow_by_halves(a, y);
    const V half = y * 0.5f;
    const auto integral = trunc(y) == y;
    const auto odd = integral & (trunc(half) != half);
    result = odd ? with_sign(result, x) : result;
    const V nan = zero + std::numeric_limits<float>::quiet_NaN();
    const auto finite = a < std::numeric_limits<float>::infinity();
    result = (x < zero) & ~integral & finite ? nan : result;
    const auto y_infinite = abs(y) == std::numeric_limits<float>::infinity();
    result = ((a == one) & y_infinite) | (x == one) | (y == zero) ? one : result;
    return result;
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
