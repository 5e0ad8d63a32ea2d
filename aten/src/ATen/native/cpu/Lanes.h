#pragma once

// Fixed-width vectors for the reduction kernels: loads that widen on the way (half types to float,
// narrow integers to 32 bits) and folds across a register.

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(CPU_CAPABILITY_AVX512)
inline constexpr int kLaneBytes = 64;
#elif defined(CPU_CAPABILITY_AVX2)
inline constexpr int kLaneBytes = 32;
#else
inline constexpr int kLaneBytes = 16;
#endif

template <class T, int bytes = kLaneBytes>
struct LanesOf {
  typedef T type __attribute__((vector_size(bytes)));
};

template <class T>
using Lanes = typename LanesOf<T>::type;

template <class T>
inline constexpr int kLanes = kLaneBytes / static_cast<int>(sizeof(T));

template <class T>
inline Lanes<T> splat(T value) {
  return Lanes<T>{} + value;
}

template <class Lane, class In>
inline Lane to_lane(In x) {
  if constexpr (std::is_same_v<In, c10::Half> || std::is_same_v<In, c10::BFloat16>) {
    return static_cast<Lane>(static_cast<float>(x));
  } else {
    return static_cast<Lane>(x);
  }
}

inline Lanes<float> load_half(const c10::Half* p) {
#if defined(CPU_CAPABILITY_AVX512) && defined(__F16C__)
  const __m256i raw = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  // The unmasked form reads an undefined register, of which GCC 12 warns.
  return (Lanes<float>)_mm512_maskz_cvtph_ps(static_cast<__mmask16>(-1), raw);
#elif defined(CPU_CAPABILITY_AVX2) && defined(__F16C__)
  return (Lanes<float>)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
  Lanes<float> v;
  for (int i = 0; i < kLanes<float>; ++i) {
    v[i] = static_cast<float>(p[i]);
  }
  return v;
#endif
}

// Reads kLanes<Lane> adjacent elements, as Lane.
template <class Lane, class In>
inline Lanes<Lane> load_lanes(const In* p) {
  constexpr int n = kLanes<Lane>;
  if constexpr (std::is_same_v<In, bool>) {
    return load_lanes<Lane>(reinterpret_cast<const uint8_t*>(p));
  } else if constexpr (std::is_same_v<In, c10::Half>) {
    return load_half(p);
  } else if constexpr (std::is_same_v<In, c10::BFloat16>) {
    typename LanesOf<uint16_t, n * 2>::type raw;
    std::memcpy(&raw, p, sizeof(raw));
    return (Lanes<float>)(__builtin_convertvector(raw, Lanes<uint32_t>) << 16);
  } else if constexpr (sizeof(In) == sizeof(Lane)) {
    Lanes<Lane> v;
    std::memcpy(&v, p, sizeof(v));
    return v;
  } else {
    typename LanesOf<In, n * static_cast<int>(sizeof(In))>::type raw;
    std::memcpy(&raw, p, sizeof(raw));
    return __builtin_convertvector(raw, Lanes<Lane>);
  }
}

template <class Lane>
inline void store_lanes(Lane* p, Lanes<Lane> v) {
  std::memcpy(p, &v, sizeof(v));
}

// Folds a register to one value as a balanced tree.
template <class Lane, class Merge>
inline Lane fold_lanes(Lanes<Lane> v, const Merge& merge) {
  alignas(kLaneBytes) Lane x[kLanes<Lane>];
  store_lanes(x, v);
  for (int half = kLanes<Lane> / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) {
      x[i] = merge(x[i], x[i + half]);
    }
  }
  return x[0];
}

// The lane an element type is reduced in: half types in float, integers of 8 and 16 bits in 32.
template <class T>
struct WideLane {
  using type = std::conditional_t<
      std::is_integral_v<T>, std::conditional_t<(sizeof(T) < 4), int32_t, T>,
      std::conditional_t<std::is_same_v<T, double>, double, float>>;
};
template <class T>
using wide_lane_t = typename WideLane<T>::type;

// The scalar that carries a reduction between registers.
template <class T>
using carry_t = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

} // inline namespace CPU_CAPABILITY
} // namespace at::native
