#pragma once

#include <ATen/cpu/vec/vec_exp.h>

// sin and cos, within 2 ulp. Lanes with arguments too large for the reduction below go to the C
// library.

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
struct TrigConstants;
template <>
struct TrigConstants<float> {
  static constexpr float kLimit = has_fma ? 0x1p16f : 0x1p20f;
  static constexpr float kSin[] = {-0x1.555546p-3f, 0x1.11077ep-7f, -0x1.9956b6p-13f};
  static constexpr float kCos[] = {0x1.55554ap-5f, -0x1.6c0c2ep-10f, 0x1.99ead0p-16f};
  static constexpr float kTan[] = {
      -0x1.800002p+1f, 0x1.333364p+0f, 0x1.75b252p-8f, 0x1.201986p-12f};
};
template <>
struct TrigConstants<double> {
  static constexpr double kLimit = 0x1p20;
  static constexpr double kSin[] = {
      -0x1.5555555555555p-3,  0x1.1111111111089p-7,  -0x1.a01a01a0065cap-13, 0x1.71de3a3f688c7p-19,
      -0x1.ae643c571d1ccp-26, 0x1.61140f5c407eap-33, -0x1.a5132ecaf2976p-41};
  static constexpr double kCos[] = {0x1.555555555554bp-5,  -0x1.6c16c16c1504cp-10,
                                    0x1.a01a019c97a0ap-16, -0x1.27e4f7f910ee8p-22,
                                    0x1.1ee9e17d573a2p-29, -0x1.8fa9a679d31c9p-37};
  static constexpr double kTan[] = {
      -0x1.8000000000004p+1, 0x1.33333333334c3p+0,  0x1.767dce419a15dp-8,  0x1.0a4e166907654p-12,
      0x1.997c336d5d14fp-17, 0x1.418c8c1fd45cap-21, 0x1.f7705f7da48cdp-26, 0x1.ce53257811c74p-30};
};

// pi/2 in three parts; the first two have few enough bits that their products with the quadrant
// number are exact.
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;

// With FMA the parts can use all their bits: the first difference is exact, and the others round
// once.
template <typename T>
struct HalfPiParts {
  T first, second, third;
};
constexpr HalfPiParts<float> kFloatHalfPi{0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
constexpr HalfPiParts<double> kFullHalfPi{
    0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

template <typename V>
C10_ALWAYS_INLINE V fold_half_pi(V x, V n, const HalfPiParts<element_of<V>>& parts) {
  V r = fma(n, splat<V>(-parts.first), x);
  r = fma(n, splat<V>(-parts.second), r);
  return fma(n, splat<V>(-parts.third), r);
}

template <typename V>
struct Quadrant {
  V r;   // in [-pi/4, pi/4]
  V low; // rounding error of r
  mask_of<V> number;
};

template <typename V>
C10_ALWAYS_INLINE Quadrant<V> reduce_quadrant_double(V x) {
  const V shifted = fma(x, splat<V>(kTwoOverPi), splat<V>(kRoundMagic<double>));
  const V n = shifted - kRoundMagic<double>;
  if constexpr (has_fma) {
    return {fold_half_pi(x, n, kFullHalfPi), V{}, reinterpret_cast<mask_of<V>>(shifted)};
  }
  const V a = x - n * kHalfPi1; // exact
  const V b = n * kHalfPi2;     // exact
  const V r1 = a - b;
  const V error = (a - r1) - b;
  const V c = n * kHalfPi3;
  const V r = r1 + (error - c);
  const V low = (r1 - r) + (error - c);
  return {r, low, reinterpret_cast<mask_of<V>>(shifted)};
}

template <typename V>
C10_ALWAYS_INLINE Quadrant<V> reduce_quadrant(V x) {
  if constexpr (std::is_same_v<element_of<V>, double>) {
    return reduce_quadrant_double(x);
  } else if constexpr (has_fma) {
    const V shifted =
        fma(x, splat<V>(static_cast<float>(kTwoOverPi)), splat<V>(kRoundMagic<float>));
    const V n = shifted - kRoundMagic<float>;
    return {fold_half_pi(x, n, kFloatHalfPi), V{}, reinterpret_cast<mask_of<V>>(shifted)};
  } else {
    // Doubles are processed half a register at a time.
    constexpr int N = lanes_of<V>;
    using Wide = Lanes<double, N>;
    const Wide wide = convert_lanes<double>(x);
    const Wide shifted = wide * kTwoOverPi + kRoundMagic<double>;
    const Wide n = shifted - kRoundMagic<double>;
    const Wide r = (wide - n * kHalfPi1) - n * kHalfPi2;
    const auto number = convert_lanes<int32_t>(reinterpret_cast<Lanes<int64_t, N>>(shifted));
    return {convert_lanes<float>(r), V{}, number};
  }
}

// Shift 0 gives the sine, shift 1 the cosine. (In trig_by_lane, 2 gives the tangent.)
template <int kShift, typename V>
C10_ALWAYS_INLINE V sin_or_cos(V x) {
  using T = element_of<V>;
  using C = TrigConstants<T>;
  using Int = mask_of<V>;
  const auto quadrant = reduce_quadrant(x);
  const V r = quadrant.r;
  const V z = r * r;
  V sine, cosine;
  if constexpr (has_fma) {
    sine = fma(z * r, polynomial(z, C::kSin), r);
    cosine = fma(z, fma(z, polynomial(z, C::kCos), splat<V>(T(-0.5))), splat<V>(T(1)));
  } else {
    sine = z * r * polynomial(z, C::kSin) + quadrant.low * (T(1) - T(0.5) * z) + r;
    const V half = T(0.5) * z;
    const V one_less = T(1) - half;
    cosine =
        one_less + (((T(1) - one_less) - half) + z * z * polynomial(z, C::kCos) - r * quadrant.low);
  }
  const Int number = quadrant.number + element_of<Int>(kShift);
  const V value = (number & 1) == 0 ? sine : cosine;
  // Bit 1 of the quadrant gives the sign.
  constexpr int kSignShift = static_cast<int>(sizeof(T)) * 8 - 2;
  V result = reinterpret_cast<V>(reinterpret_cast<Int>(value) ^ ((number & 2) << kSignShift));
  if constexpr (kShift == 0) {
    result = x == V{} ? x : result;
  }
  return result;
}

template <int kShift, typename V>
C10_NOINLINE V trig_by_lane(V x) {
  V result = x;
  for (int i = 0; i < lanes_of<V>; ++i) {
    const double wide = x[i];
    result[i] = static_cast<element_of<V>>(
        kShift == 0       ? std::sin(wide)
            : kShift == 1 ? std::cos(wide)
                          : std::tan(wide));
  }
  return result;
}

template <typename V>
C10_ALWAYS_INLINE V sin(V x) {
  const auto large = ~(abs(x) <= TrigConstants<element_of<V>>::kLimit);
  return C10_UNLIKELY(any_lane(large)) ? trig_by_lane<0>(x) : sin_or_cos<0>(x);
}

template <typename V>
C10_ALWAYS_INLINE V cos(V x) {
  const auto large = ~(abs(x) <= TrigConstants<element_of<V>>::kLimit);
  return C10_UNLIKELY(any_lane(large)) ? trig_by_lane<1>(x) : sin_or_cos<1>(x);
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
