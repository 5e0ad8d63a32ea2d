#pragma once

#include <ATen/cpu/vec/vec_log.h>

// x to the power y, with the special cases of the C standard.

namespace at::vec {
inline namespace CPU_CAPABILITY {

// exp(y log x) for x > 0, computed in double for results in single precision.
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

// Vectors wider than a register go through memory, so the two halves are separated first.
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

// A sum of two doubles; the second is at most a rounding error of the first.
template <typename V>
struct Pair {
  V high, low;
};

template <typename V>
C10_ALWAYS_INLINE Pair<V> fast_sum(V larger, V smaller) {
  const V sum = larger + smaller;
  return {sum, smaller - (sum - larger)};
}

template <typename V>
C10_ALWAYS_INLINE Pair<V> product(Pair<V> a, Pair<V> b) {
  const V high = a.high * b.high;
  return {high, fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high)};
}

// log x to about 2^-66, since the exponential magnifies its error by up to 745.
template <typename V>
C10_ALWAYS_INLINE Pair<V> log_pair(V x) {
#if defined(__AVX512F__)
  const auto split = split_by_instruction(x);
#else
  const auto subnormal = x < LogConstants<double>::kSmallest;
  auto split = split_exponent(subnormal ? x * LogConstants<double>::kLift : x);
  split.exponent = subnormal ? split.exponent - LogConstants<double>::kLiftBits : split.exponent;
#endif
  const V f = split.fraction - 1.0;
  const V d = f + 2.0;
  const V d_low = f - (d - 2.0);
  const V inverse = 1.0 / d;
  Pair<V> s;
  s.high = f * inverse;
  s.low = (fma(-s.high, d, f) - s.high * d_low) * inverse;
  const Pair<V> z = product(s, s);
  // 2/3 + 2/5 z + ...; only the first term needs two parts.
  constexpr double kRest[] = {0x1.9999999999999p-2, 0x1.2492492492492p-2, 0x1.c71c71c71c71cp-3,
                              0x1.745d1745d1746p-3, 0x1.3b13b13b13b14p-3, 0x1.1111111111111p-3,
                              0x1.e1e1e1e1e1e1ep-4, 0x1.af286bca1af28p-4, 0x1.8618618618618p-4,
                              0x1.642c8590b2164p-4};
  const V rest = z.high * polynomial(z.high, kRest);
  Pair<V> q = fast_sum(splat<V>(0x1.5555555555555p-1), rest);
  q.low = q.low + 0x1.5555555555555p-55;
  const Pair<V> tail = product(product(z, s), q);
  Pair<V> log_m = fast_sum(s.high + s.high, tail.high);
  log_m.low = log_m.low + (s.low + s.low + tail.low);
  const V scaled = split.exponent * 0x1.62e42fefa3800p-1; // exact
  Pair<V> result = fast_sum(scaled, log_m.high);
  // With exponent 0, the fraction's logarithm is the larger part and nothing is lost.
  result.low = result.low + fma(split.exponent, splat<V>(0x1.ef35793c76730p-45), log_m.low);
  return fast_sum(result.high, result.low);
}

template <typename V>
C10_ALWAYS_INLINE V pow_double(V x, V y) {
  using C = ExpConstants<double>;
  const V zero{};
  const V a = abs(x);
  const Pair<V> log_a = log_pair(a);
  const V high = y * log_a.high;
  V low = fma(y, log_a.high, -high) + y * log_a.low;
  const V bounded = at_most(at_least(high, C::kLow), C::kHigh);
  low = abs(low) < 1.0 ? low : zero; // ignore a low part that is infinite or NaN
  const auto reduced = reduce_exp(bounded);
  const V r = reduced.r;
  const V exact = fma(reduced.n, splat<V>(-C::kLn2High), bounded);
  const V lost = fma(reduced.n, splat<V>(-C::kLn2Low), exact - r) + low;
  // e^(r + lost) = e^r + lost e^r
  const V tail = polynomial(r, C::kTail);
  const V lost_times_power = fma(lost, fma(r * r, tail, r), lost);
  const V p = (fma(r * r, tail, lost_times_power) + r) + 1.0;
  return scale(p, reduced);
}

// Applies C's rules for zeros, infinities, NaN and negative bases to the power of |x|.
template <typename V>
C10_ALWAYS_INLINE V pow_special(V x, V y, V magnitude) {
  using T = element_of<V>;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const V zero{};
  const V one = splat<V>(T(1));
  const V a = abs(x);
  const V half = y * T(0.5);
  const auto integral = trunc(y) == y;
  const auto odd = integral & (trunc(half) != half);
  V result = odd ? with_sign(magnitude, x) : magnitude;
  const auto root_of_negative = (x < zero) & ~integral & (a < kInfinity);
  result = root_of_negative ? splat<V>(std::numeric_limits<T>::quiet_NaN()) : result;
  const auto is_one = ((a == one) & (abs(y) == kInfinity)) | (x == one) | (y == zero);
  return is_one ? one : result;
}

template <typename V>
C10_ALWAYS_INLINE V pow(V x, V y) {
  if constexpr (std::is_same_v<element_of<V>, float>) {
    return pow_special(x, y, pow_by_halves(abs(x), y));
  } else if constexpr (has_fma && sizeof(V) >= 32) {
    // Zeros, infinities, NaN and overflows are rare, so they go to the C library.
    const V a = abs(x);
    const auto usual =
        (a > 0.0) & (a < std::numeric_limits<double>::infinity()) & (abs(y) < 0x1p60);
    if (C10_UNLIKELY(any_lane(~usual))) {
      return pow_by_lane(x, y);
    }
    return pow_special(x, y, pow_double(x, y));
  } else {
    return pow_by_lane(x, y);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
