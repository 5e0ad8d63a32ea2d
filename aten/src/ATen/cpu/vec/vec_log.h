#pragma once

#include <ATen/cpu/vec/vec_exp.h>

// Logarithms, within 2 ulp.

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr float kSmallest = 0x1p-126f, kLift = 0x1p25f, kLiftBits = 25;
  static constexpr float kLn2High = 0x1.62e400p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  // (log(1 + f) - f + f^2 / 2) / f^3
  static constexpr float kTail[] = {0x1.555546p-2f,  -0x1.000000p-2f, 0x1.99a546p-3f,
                                    -0x1.555f16p-3f, 0x1.232fe8p-3f,  -0x1.fbc1e4p-4f,
                                    0x1.e6f4eep-4f,  -0x1.e04a58p-4f, 0x1.16bae6p-4f};
};
template <>
struct LogConstants<double> {
  static constexpr double kSmallest = 0x1p-1022, kLift = 0x1p54, kLiftBits = 54;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
  // (log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2
  static constexpr double kOdd[] = {0x1.5555555555555p-1, 0x1.9999999999d10p-2,
                                    0x1.24924924397f6p-2, 0x1.c71c724b87037p-3,
                                    0x1.745ce1b504d10p-3, 0x1.3b202961f2042p-3,
                                    0x1.0f66b8098b4f3p-3, 0x1.0f13bffacf145p-3};
};

template <typename V>
struct Split {
  V fraction; // in [sqrt(1/2), sqrt(2))
  V exponent;
};

// A positive normal number as fraction * 2^exponent.
template <typename V>
C10_ALWAYS_INLINE Split<V> split_exponent(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  using Int = mask_of<V>;
  using I = element_of<Int>;
  constexpr I kRootHalf = sizeof(T) == 4 ? I(0x3f3504f3) : I(0x3fe6a09e667f3bcd);
  const Int bits = reinterpret_cast<Int>(x);
  const Int exponent = (bits - kRootHalf) >> C::kMantissa;
  const V fraction = reinterpret_cast<V>(bits - (exponent << C::kMantissa));
  return {fraction, convert_lanes<T>(exponent)};
}

// log(1 + f) + exponent * ln2 + extra, for 1 + f in [sqrt(1/2), sqrt(2)).
template <typename V>
C10_ALWAYS_INLINE V log_of_fraction(V f, V exponent, V extra) {
  using T = element_of<V>;
  using C = LogConstants<T>;
  const V low = fma(exponent, splat<V>(C::kLn2Low), extra);
  if constexpr (std::is_same_v<T, float>) {
    const V square = f * f;
    V tail = square * f * polynomial(f, C::kTail) + low;
    tail = fma(square, splat<V>(-0.5f), tail);
    return fma(exponent, splat<V>(C::kLn2High), tail + f);
  } else {
    // f - (f^2/2 - s (f^2/2 + R)) keeps the leading term exact.
    const V s = f / (f + T(2));
    const V z = s * s;
    const V half_square = T(0.5) * f * f;
    const V rest = z * polynomial(z, C::kOdd);
    return exponent * splat<V>(C::kLn2High) -
           ((half_square - (s * (half_square + rest) + low)) - f);
  }
}

// The values outside (0, infinity): -inf at 0, NaN below, infinity and NaN as they are.
template <typename V>
C10_ALWAYS_INLINE V log_special(V x, V result) {
  using T = element_of<V>;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  result = x == kInfinity ? x : result;
  result = x == V{} ? splat<V>(-kInfinity) : result;
  return x >= V{} ? result : splat<V>(std::numeric_limits<T>::quiet_NaN());
}

template <typename V>
C10_ALWAYS_INLINE V log(V x) {
  using T = element_of<V>;
  using C = LogConstants<T>;
  const auto subnormal = x < C::kSmallest;
  const auto split = split_exponent(subnormal ? x * C::kLift : x);
  const V exponent = subnormal ? split.exponent - C::kLiftBits : split.exponent;
  return log_special(x, log_of_fraction(split.fraction - T(1), exponent, V{}));
}

template <typename V>
C10_ALWAYS_INLINE V log1p(V x) {
  using T = element_of<V>;
  const V u = x + T(1);
  const auto split = split_exponent(u);
  // What the sum lost, relative to it; near 0 the sum is not used at all.
  const V lost = x > T(1) ? T(1) - (u - x) : x - (u - T(1));
  const auto near = split.exponent == V{};
  const V f = near ? x : split.fraction - T(1);
  const V extra = near ? V{} : lost / u;
  const V result = log_special(u, log_of_fraction(f, split.exponent, extra));
  return x == V{} ? x : result;
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
