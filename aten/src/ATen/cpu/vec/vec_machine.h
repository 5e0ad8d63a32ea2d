#pragma once

#include <ATen/cpu/vec/vec_base.h>

// Wrappers for instructions that speed up the math. Each has a portable version whose result agrees
// to the precision that its comment states.

namespace at::vec {
inline namespace CPU_CAPABILITY {

#if defined(__AVX512F__)
constexpr bool has_lookup = true; // registers hold tables
constexpr __mmask16 kAll16 =
    0xffff; // GCC 12 warns that the unmasked forms read an undefined register
constexpr __mmask8 kAll8 = 0xff;
#else
constexpr bool has_lookup = false;
#endif
template <typename V>
constexpr bool is_zmm_float = has_lookup && sizeof(V) == 64 && std::is_same_v<element_of<V>, float>;
template <typename V>
constexpr bool is_zmm_double = has_lookup &&
    sizeof(V) == 64 && std::is_same_v<element_of<V>, double>;
template <typename V>
constexpr bool is_zmm_floating = is_zmm_float<V> || is_zmm_double<V>;

// min(x, high) and max(x, low); a NaN in x is kept, and one in the bound does not count.
template <typename V>
C10_ALWAYS_INLINE V at_most(V x, V high) {
#if defined(__AVX512F__)
  if constexpr (is_zmm_float<V>) {
    return reinterpret_cast<V>(
        _mm512_maskz_min_ps(kAll16, reinterpret_cast<__m512>(high), reinterpret_cast<__m512>(x)));
  } else if constexpr (is_zmm_double<V>) {
    return reinterpret_cast<V>(
        _mm512_maskz_min_pd(kAll8, reinterpret_cast<__m512d>(high), reinterpret_cast<__m512d>(x)));
  }
#endif
  return high < x ? high : x;
}
template <typename V>
C10_ALWAYS_INLINE V at_most(V x, element_of<V> bound) {
  return at_most(x, splat<V>(bound));
}

template <typename V>
C10_ALWAYS_INLINE V at_least(V x, V low) {
#if defined(__AVX512F__)
  if constexpr (is_zmm_float<V>) {
    return reinterpret_cast<V>(
        _mm512_maskz_max_ps(kAll16, reinterpret_cast<__m512>(low), reinterpret_cast<__m512>(x)));
  } else if constexpr (is_zmm_double<V>) {
    return reinterpret_cast<V>(
        _mm512_maskz_max_pd(kAll8, reinterpret_cast<__m512d>(low), reinterpret_cast<__m512d>(x)));
  }
#endif
  return low > x ? low : x;
}
template <typename V>
C10_ALWAYS_INLINE V at_least(V x, element_of<V> bound) {
  return at_least(x, splat<V>(bound));
}

// a / b to 1 ulp, for b not close to the limits of the range.
template <typename V>
C10_ALWAYS_INLINE V divide(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (is_zmm_float<V>) {
    const V y = reinterpret_cast<V>(_mm512_maskz_rcp14_ps(kAll16, reinterpret_cast<__m512>(b)));
    const V quotient = a * y;
    return fma(fma(-quotient, b, a), y, quotient);
  } else if constexpr (is_zmm_double<V>) {
    const V one = splat<V>(1.0);
    V y = reinterpret_cast<V>(_mm512_maskz_rcp14_pd(kAll8, reinterpret_cast<__m512d>(b)));
    y = fma(y, fma(-b, y, one), y); // 28 bits; correcting the quotient squares the error again
    const V quotient = a * y;
    return fma(fma(-quotient, b, a), y, quotient);
  }
#endif
  return a / b;
}

// Square roots without the slow instruction: an estimate and one correction step.
template <typename V>
C10_ALWAYS_INLINE V sqrt(V x) {
#if defined(__AVX512F__)
  if constexpr (is_zmm_float<V>) {
    const V y = reinterpret_cast<V>(_mm512_maskz_rsqrt14_ps(kAll16, reinterpret_cast<__m512>(x)));
    const V root = x * y;
    const V half = y * 0.5f;
    const V better = fma(fma(-root, half, splat<V>(0.5f)), root, root);
    const V best = fma(fma(-better, better, x), half, better);
    // The estimate for 0, infinity and numbers close to 0 has no finite counterpart.
    const auto usual = (x >= 0x1p-100f) & (x <= std::numeric_limits<float>::max());
    if (C10_LIKELY(!any_lane(~usual))) {
      return best;
    }
  }
#endif
  return sqrt_exact(x);
}

// 1 / sqrt(x), to 1.5 ulp.
template <typename V>
C10_ALWAYS_INLINE V rsqrt(V x) {
#if defined(__AVX512F__)
  if constexpr (is_zmm_float<V>) {
    const V y = reinterpret_cast<V>(_mm512_maskz_rsqrt14_ps(kAll16, reinterpret_cast<__m512>(x)));
    const V error = fma(-(x * y), y, splat<V>(1.0f));
    const V better = fma(y * error, fma(error, splat<V>(0.375f), splat<V>(0.5f)), y);
    const auto usual = (x >= 0x1p-100f) & (x <= std::numeric_limits<float>::max());
    if (C10_LIKELY(!any_lane(~usual))) {
      return better;
    }
  }
#endif
  return element_of<V>(1) / sqrt_exact(x);
}

// Evaluates c[0] + c[1] x + ... with Horner's rule.
template <typename V, typename T, size_t K>
C10_ALWAYS_INLINE V polynomial(V x, const T (&c)[K]) {
  V result = splat<V>(c[K - 1]);
#pragma GCC unroll 32
  for (size_t i = K - 1; i > 0; --i) {
    result = fma(result, x, splat<V>(c[i - 1]));
  }
  return result;
}

// Half of the least subnormal number is 2 to this power: what is smaller rounds to 0.
template <typename T>
constexpr T kLeastPower = sizeof(T) == 4 ? T(-150) : T(-1075);

#if defined(__AVX512F__)
// Looks up a 32-entry table with the low five bits of each lane.
C10_ALWAYS_INLINE Lanes<float, 16> lookup(const float* table, Lanes<int32_t, 16> index) {
  return reinterpret_cast<Lanes<float, 16>>(_mm512_permutex2var_ps(
      _mm512_loadu_ps(table), reinterpret_cast<__m512i>(index), _mm512_loadu_ps(table + 16)));
}

// Looks up a 16-entry table with the low four bits of each lane.
C10_ALWAYS_INLINE Lanes<double, 8> lookup(const double* table, Lanes<int64_t, 8> index) {
  return reinterpret_cast<Lanes<double, 8>>(_mm512_permutex2var_pd(
      _mm512_loadu_pd(table), reinterpret_cast<__m512i>(index), _mm512_loadu_pd(table + 8)));
}

// p 2^floor(n) for p below 2, rounded once where it is subnormal. Where it vanishes, nothing is
// computed: an underflow interrupts the processor for as long as dozens of instructions.
template <typename V>
C10_ALWAYS_INLINE V scale_by_power(V p, V n) {
  if constexpr (is_zmm_float<V>) {
    const auto power = reinterpret_cast<__m512>(n);
    const auto some = _mm512_cmp_ps_mask(power, _mm512_set1_ps(kLeastPower<float>), _CMP_NLT_UQ);
    return reinterpret_cast<V>(_mm512_maskz_scalef_ps(some, reinterpret_cast<__m512>(p), power));
  } else {
    const auto power = reinterpret_cast<__m512d>(n);
    const auto some = _mm512_cmp_pd_mask(power, _mm512_set1_pd(kLeastPower<double>), _CMP_NLT_UQ);
    return reinterpret_cast<V>(_mm512_maskz_scalef_pd(some, reinterpret_cast<__m512d>(p), power));
  }
}
#endif

// Adding this constant rounds to an integer and leaves it in the low bits of the sum.
template <typename T>
constexpr T kRoundMagic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);

} // namespace CPU_CAPABILITY
} // namespace at::vec
