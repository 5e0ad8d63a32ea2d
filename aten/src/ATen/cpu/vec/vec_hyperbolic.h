#pragma once

#include <ATen/cpu/vec/vec_log.h>
#include <ATen/cpu/vec/vec_trig.h>

// Functions made of exponentials and logarithms: hyperbolic functions and their inverses, other
// bases, tan and erfc. Within 2.3 ulp, erfc within 4.1; without FMA, tan within 2.7.

namespace at::vec {
inline namespace CPU_CAPABILITY {

// exp(x) / 2, which overflows later than exp(x).
template <typename V>
C10_ALWAYS_INLINE V half_exp(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  auto reduced = reduce_exp(at_most(at_least(x, C::kLow), C::kHigh + T(1)), kExpMagic<V>);
  reduced.n = reduced.n - T(1);
  reduced.n_bits = reduced.n_bits - kExpSteps<V>;
  return exp_of(reduced);
}

template <typename V>
C10_ALWAYS_INLINE V cosh(V x) {
  using T = element_of<V>;
  const V half = half_exp(abs(x));
  return half + T(0.25) / half;
}

template <typename V>
C10_ALWAYS_INLINE V sinh(V x) {
  using T = element_of<V>;
  const V a = abs(x);
  const V half = half_exp(a);
  // Near 0 the difference of exponentials would lose digits.
  const V t = expm1(at_most(a, T(2)));
  const V u = t + T(1);
  const V small = T(0.5) * (a < T(0.5) ? (t + t) - t * t / u : t + t / u);
  return with_sign(a < T(1.5) ? small : half - T(0.25) / half, x);
}

template <typename V>
C10_ALWAYS_INLINE V exp2(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  constexpr T kLow = sizeof(T) == 4 ? T(-151) : T(-1076), kHigh = T(C::kBias + 2);
  const V bounded = at_most(at_least(x, kLow), kHigh);
  const V shifted = bounded + kExpMagic<V>;
  const V n = shifted - kExpMagic<V>;
  const V r = (bounded - n) * T(0x1.62e42fefa39efp-1);
  return exp_of(Reduced<V>{r, n, reinterpret_cast<mask_of<V>>(shifted)});
}

// log(x) times `factor`; `high` + `low` is the same multiple of log(2).
template <typename V>
C10_ALWAYS_INLINE V scaled_log(V x, double factor, double high, double low) {
  using T = element_of<V>;
  using C = LogConstants<T>;
  const auto subnormal = x < C::kSmallest;
  auto split = split_exponent(subnormal ? x * C::kLift : x);
  split.exponent = subnormal ? split.exponent - C::kLiftBits : split.exponent;
  const V fraction = log_of_fraction(split.fraction - T(1), V{}, V{});
  const V rest =
      fma(split.exponent, splat<V>(static_cast<T>(low)), fraction * static_cast<T>(factor));
  return log_special(x, fma(split.exponent, splat<V>(static_cast<T>(high)), rest));
}

template <typename V>
C10_ALWAYS_INLINE V log2(V x) {
  if constexpr (has_log_table && sizeof(V) == kVectorBytes) {
    return log_by_table<BinaryLog>(x);
  } else {
    return scaled_log(x, 0x1.71547652b82fep+0, 1, 0);
  }
}

// The high part has few bits, so that its products with exponents are exact.
template <typename V>
C10_ALWAYS_INLINE V log10(V x) {
  if constexpr (has_log_table && sizeof(V) == kVectorBytes) {
    return log_by_table<DecimalLog>(x);
  } else {
    constexpr bool kSingle = sizeof(element_of<V>) == 4;
    constexpr double kHigh = kSingle ? 0x1.344p-2 : 0x1.34413509f7800p-2;
    constexpr double kLow = kSingle ? 0x1.3509f79fef312p-18 : 0x1.fef311f12b358p-46;
    return scaled_log(x, 0x1.bcb7b1526e50ep-2, kHigh, kLow);
  }
}

template <typename V>
C10_ALWAYS_INLINE V asinh(V x) {
  using T = element_of<V>;
  constexpr T kLarge = sizeof(T) == 4 ? T(0x1p13) : T(0x1p28);
  const V a = abs(x);
  const auto large = a > kLarge;
  const V square = large ? V{} : a * a;
  const V small = log1p(a + square / (T(1) + sqrt_exact(square + T(1))));
  const V result = any_lane(large) ? (large ? log(a) + T(0.6931471805599453) : small) : small;
  return with_sign(x == x ? abs(result) : x, x);
}

template <typename V>
C10_ALWAYS_INLINE V acosh(V x) {
  using T = element_of<V>;
  constexpr T kLarge = sizeof(T) == 4 ? T(0x1p13) : T(0x1p28);
  const auto large = x > kLarge;
  const V t = large ? splat<V>(T(1)) : x - T(1);
  const V small = log1p(t + sqrt_exact(t + t + t * t));
  const V result = any_lane(large) ? (large ? log(x) + T(0.6931471805599453) : small) : small;
  return x >= T(1) ? result : splat<V>(std::numeric_limits<T>::quiet_NaN());
}

template <typename V>
C10_ALWAYS_INLINE V atanh(V x) {
  using T = element_of<V>;
  const V a = abs(x);
  const V result = T(0.5) * log1p((a + a) / (T(1) - a));
  return a <= T(1) ? with_sign(abs(result), x) : splat<V>(std::numeric_limits<T>::quiet_NaN());
}

// tan(r) = r - r z / q, where z = r^2 and q is close to the line -3 + 6/5 z. Odd quadrants have the
// negative inverse.
template <typename V>
C10_ALWAYS_INLINE V tan_reduced(V x) {
  const auto quadrant = reduce_quadrant(x);
  const V r = quadrant.r;
  const V z = r * r;
  const V q = polynomial(z, TrigConstants<element_of<V>>::kTan);
  const V whole = fma(-r, q, r * z);
  const auto even = (quadrant.number & 1) == 0;
  if constexpr (has_fma) {
    const V quotient = divide(even ? z : q, even ? q : whole);
    return even ? fma(-r, quotient, r) : quotient;
  } else {
    const V low = quadrant.low;
    const V quotient = (even ? z : q) / (even ? q : whole - q * low);
    const V result = even ? r + (low - r * quotient) : quotient;
    return x == V{} ? x : result;
  }
}

template <typename V>
C10_ALWAYS_INLINE V tan(V x) {
  const auto large = ~(abs(x) <= TrigConstants<element_of<V>>::kLimit);
  return C10_UNLIKELY(any_lane(large)) ? trig_by_lane<2>(x) : tan_reduced(x);
}

// erf(x) / x for z = x^2 < 1/16
template <typename V>
C10_ALWAYS_INLINE V erf_series(V z) {
  constexpr double kSeries[] = {
      0x1.20dd750429b6dp+0,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,
      -0x1.b82ce31288b51p-6, 0x1.565bcd0e6a53fp-8,   -0x1.c02db40040b85p-11,
      0x1.f9a326f9b89b7p-14, -0x1.f4d25c3e0c2ebp-17, 0x1.b9e6c9dc651a2p-20};
  constexpr int kTerms = sizeof(element_of<V>) == 4 ? 5 : 9;
  V sum = splat<V>(static_cast<element_of<V>>(kSeries[kTerms - 1]));
  for (int k = kTerms - 2; k >= 0; --k) {
    sum = fma(sum, z, splat<V>(static_cast<element_of<V>>(kSeries[k])));
  }
  return sum;
}

// exp(-x^2) where that does not underflow far: what rounding takes from the square is added to the
// reduced argument.
template <typename V>
C10_ALWAYS_INLINE V exp_of_negative_square(V x) {
  using T = element_of<V>;
  V square, lost;
  if constexpr (has_fma) {
    square = x * x;
    lost = fma(x, x, -square);
  } else {
    // The exact square of the upper half of the bits, and the rest.
    constexpr auto kMask =
        sizeof(T) == 4 ? ~((int_like<T>(1) << 12) - 1) : ~((int_like<T>(1) << 27) - 1);
    const V upper = reinterpret_cast<V>(reinterpret_cast<mask_of<V>>(x) & int_like<T>(kMask));
    square = upper * upper;
    lost = (x - upper) * (x + upper);
  }
  auto reduced = reduce_exp(-square, kExpMagic<V>);
  reduced.r = reduced.r - lost;
  return exp_of(reduced);
}

// With AVX-512, exp(x^2) erfc(x) of floats is in a table.
template <typename V>
C10_ALWAYS_INLINE V erfc_by_table(V x) {
  const V a = abs(x);
  const V tail = by_table<5>(at_most(a, 10.1f), kErfcxTable, kErfcxStep) *
      exp_of_negative_square(at_most(a, 10.5f));
  return x < V{} ? 2.0f - tail : tail;
}

// With q = (x - k) / (x + k), (1 + 2 x) exp(x^2) erfc(x) is a smooth function of q for x >= 0
// (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981).
template <typename V>
C10_ALWAYS_INLINE V erfc_by_quotient(V x) {
  using T = element_of<V>;
  constexpr float kFloat[] = {0x1.46e80ep+0f,   -0x1.7bf61ep-4f, -0x1.5407f4p-3f, 0x1.4ffc9ap-3f,
                              -0x1.bc1474p-5f,  -0x1.083f5ap-7f, 0x1.1b3b96p-7f,  0x1.5b2658p-10f,
                              -0x1.44ed4ep-10f, -0x1.ad4924p-12f};
  constexpr double kDouble[] = {
      0x1.3ba5916e9fd7fp+0,  -0x1.1df1ad154a29cp-3,  0x1.f7f5df66fb758p-7,
      0x1.16ecefcfa5fb9p-4,  -0x1.9ddb23c3db80ap-4,  0x1.7fee004dfab63p-4,
      -0x1.0fb06dff6881dp-4, 0x1.3079edf8f7383p-5,   -0x1.09623853c3207p-6,
      0x1.49c672041bf2cp-8,  -0x1.8d4ac1afce7dcp-11, -0x1.a1def06dd451ap-13,
      0x1.3be2bf044a908p-13, -0x1.995ac7a298bbfp-16, -0x1.78ec24d7ad8fap-17,
      0x1.7f0d5fcd2f286p-18, 0x1.4ebbd27beffacp-22,  -0x1.b7e51dc75b454p-21,
      0x1.eb50085e03b8bp-25, 0x1.b49f77d688718p-24,  -0x1.2f855d13997ddp-27,
      -0x1.29f92f5f79367p-27};
  constexpr T kPole = sizeof(T) == 4 ? T(2) : T(4), kEnd = sizeof(T) == 4 ? T(10.5) : T(27.5);
  const V a = at_most(abs(x), kEnd);
  const V q = divide(a - kPole, a + kPole);
  V scaled;
  if constexpr (sizeof(T) == 4) {
    scaled = polynomial(q, kFloat);
  } else {
    scaled = polynomial(q, kDouble);
  }
  const V tail = divide(scaled * exp_of_negative_square(a), T(1) + a + a);
  // Near 0, 1 - erf(x) by its power series rounds less often.
  const V z = x * x;
  const V small = T(1) - x * erf_series(z);
  const V result = a < T(0.25) ? small : x < V{} ? T(2) - tail : tail;
  return x == x ? result : x;
}

template <typename V>
C10_ALWAYS_INLINE V erfc(V x) {
  if constexpr (is_zmm_float<V>) {
    return erfc_by_table(x);
  } else {
    return erfc_by_quotient(x);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
