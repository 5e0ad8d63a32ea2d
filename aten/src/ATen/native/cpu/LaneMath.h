#pragma once

// What softmax and layer_norm need beyond Lanes.h: narrowing stores, partial registers and e^x.

#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <bit>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Writes a register of Lane as adjacent elements of Out, rounding to nearest even.
template <class Out, class Lane>
inline void save_lanes(Out* p, Lanes<Lane> v) {
  if constexpr (std::is_same_v<Out, c10::BFloat16>) {
    using U = Lanes<uint32_t>;
    const U bits = (U)v;
    const U rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const U chosen = (Lanes<int32_t>)(v != v) ? U{} + 0x7fc0 : rounded;
    const auto narrow = __builtin_convertvector(chosen, typename LanesOf<uint16_t, kLaneBytes / 2>::type);
    std::memcpy(p, &narrow, sizeof(narrow));
  } else if constexpr (std::is_same_v<Out, c10::Half>) {
#if defined(CPU_CAPABILITY_AVX512) && defined(__F16C__)
    const __m256i narrow = _mm512_maskz_cvtps_ph(static_cast<__mmask16>(-1), (__m512)v, 0);
    std::memcpy(p, &narrow, sizeof(narrow));
#elif defined(CPU_CAPABILITY_AVX2) && defined(__F16C__)
    const __m128i narrow = _mm256_cvtps_ph((__m256)v, 0);
    std::memcpy(p, &narrow, sizeof(narrow));
#else
    for (int i = 0; i < kLanes<float>; ++i) {
      p[i] = static_cast<c10::Half>(v[i]);
    }
#endif
  } else {
    store_lanes<Lane>(p, v);
  }
}

// `count` elements, fewer than a register; the other lanes hold `fill`.
template <class Lane, class In>
inline Lanes<Lane> load_partial(const In* p, int64_t count, Lane fill) {
#if defined(CPU_CAPABILITY_AVX512)
  if constexpr (std::is_same_v<In, float>) {
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    return (Lanes<float>)_mm512_mask_loadu_ps((__m512)splat<float>(fill), mask, p);
  } else if constexpr (std::is_same_v<In, double>) {
    const auto mask = static_cast<__mmask8>((1u << count) - 1);
    return (Lanes<double>)_mm512_mask_loadu_pd((__m512d)splat<double>(fill), mask, p);
  }
#endif
  Lanes<Lane> v = splat<Lane>(fill);
  for (int64_t i = 0; i < count; ++i) {
    v[i] = to_lane<Lane>(p[i]);
  }
  return v;
}

template <class Out, class Lane>
inline void save_partial(Out* p, Lanes<Lane> v, int64_t count) {
#if defined(CPU_CAPABILITY_AVX512)
  if constexpr (std::is_same_v<Out, float>) {
    return _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << count) - 1), (__m512)v);
  } else if constexpr (std::is_same_v<Out, double>) {
    return _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << count) - 1), (__m512d)v);
  }
#endif
  alignas(kLaneBytes) Out whole[kLanes<Lane>];
  save_lanes<Out, Lane>(whole, v);
  std::copy_n(whole, count, p);
}

template <class Lane, class In>
inline Lanes<Lane> load_up_to(const In* p, int64_t count, Lane fill) {
  return count >= kLanes<Lane> ? load_lanes<Lane>(p) : load_partial<Lane>(p, count, fill);
}

template <class Out, class Lane>
inline void save_up_to(Out* p, Lanes<Lane> v, int64_t count) {
  if (count >= kLanes<Lane>) {
    save_lanes<Out, Lane>(p, v);
  } else {
    save_partial<Out, Lane>(p, v, count);
  }
}

// a * b + c, fused where the capability has it.
template <class V>
inline V fused(V a, V b, V c) {
#if defined(CPU_CAPABILITY_AVX512)
  if constexpr (std::is_same_v<V, Lanes<float>>) {
    return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  } else {
    return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
  }
#elif defined(CPU_CAPABILITY_AVX2)
  if constexpr (std::is_same_v<V, Lanes<float>>) {
    return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  } else {
    return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
  }
#else
  return a * b + c;
#endif
}

// e^x for x <= 0 (softmax's shifted inputs): e^x = 2^n e^r with |r| <= ln(2) / 2, and e^r by its
// Taylor series. Results below the smallest normal number become zero; NaN stays NaN.
template <class Lane>
inline Lanes<Lane> exp_nonpositive(Lanes<Lane> x) {
  using V = Lanes<Lane>;
  constexpr bool single = std::is_same_v<Lane, float>;
  using Int = std::conditional_t<single, int32_t, int64_t>;
  using VI = Lanes<Int>;
  constexpr int kMantissa = single ? 23 : 52;
  constexpr Int kBias = single ? 127 : 1023;
  constexpr Lane kMagic = single ? Lane(12582912) : Lane(6755399441055744.0);
  constexpr Lane kLowest = single ? Lane(-87.33654) : Lane(-708.3964185322641);
  constexpr Lane kHigh = single ? Lane(0.693359375) : Lane(6.93147180369123816490e-01);
  constexpr Lane kLow = single ? Lane(-2.12194440e-4) : Lane(1.90821492927058770002e-10);
  constexpr int kDegree = single ? 7 : 13;

  const V shifted = fused<V>(x, splat<Lane>(Lane(1.4426950408889634)), splat<Lane>(kMagic));
  const V n = shifted - kMagic;
  V r = fused<V>(n, splat<Lane>(-kHigh), x);
  r = fused<V>(n, splat<Lane>(-kLow), r);
  Lane inverse_factorial[kDegree + 1];
  inverse_factorial[0] = 1;
  double factorial = 1;
  for (int k = 1; k <= kDegree; ++k) {
    factorial *= k;
    inverse_factorial[k] = static_cast<Lane>(1 / factorial);
  }
  V p = splat<Lane>(inverse_factorial[kDegree]);
  for (int k = kDegree - 1; k >= 0; --k) {
    p = fused<V>(p, r, splat<Lane>(inverse_factorial[k]));
  }
  const VI exponent = (VI)shifted - std::bit_cast<Int>(kMagic) + kBias;
  const V scaled = p * (V)(exponent << kMantissa);
  return x < kLowest ? V{} : scaled;
}

template <class V>
inline V lane_max(V a, V b) {
  return ((b > a) | (b != b)) ? b : a;
}

} // inline namespace CPU_CAPABILITY
} // namespace at::native
