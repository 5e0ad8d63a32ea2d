#pragma once

// Registers of bytes, and their conversion to and from numbers with a scale and a zero point.

#include <ATen/cpu/vec/vec_round.h>
#include <ATen/native/cpu/Lanes.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

using Integers = Lanes<int32_t>;
using Numbers = Lanes<float>;
using Bytes = Lanes<uint8_t>;

// Registers of integers or numbers whose elements fill a register of bytes.
inline constexpr int kRegistersOfBytes = 4;

// a * b + c, rounded once: products are exact in double.
inline Numbers rounded_once(Numbers a, Numbers b, Numbers c) {
  if constexpr (at::vec::has_fma) {
    return at::vec::fma(a, b, c);
  } else {
    const auto wide = [](Numbers x) { return at::vec::convert_lanes<double>(x); };
    return at::vec::convert_lanes<float>(wide(a) * wide(b) + wide(c));
  }
}

// a < b ? a : b, which is b if either is NaN.
inline Numbers lesser(Numbers a, Numbers b) {
#if defined(CPU_CAPABILITY_AVX512)
  return reinterpret_cast<Numbers>(
      _mm512_maskz_min_ps(__mmask16(-1), reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#elif defined(CPU_CAPABILITY_AVX2)
  return reinterpret_cast<Numbers>(
      _mm256_min_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
#else
  return a < b ? a : b;
#endif
}

// The nearest integers, ties to even. Numbers below the range and NaN become an integer of at most
// -32768; none may be above it.
inline Integers nearest(Numbers x) {
#if defined(CPU_CAPABILITY_AVX512)
  return reinterpret_cast<Integers>(
      _mm512_maskz_cvtps_epi32(__mmask16(-1), reinterpret_cast<__m512>(x)));
#elif defined(CPU_CAPABILITY_AVX2)
  return reinterpret_cast<Integers>(_mm256_cvtps_epi32(reinterpret_cast<__m256>(x)));
#else
  const Numbers least = splat<float>(-32768);
  return at::vec::convert_lanes<int32_t>(at::vec::round(x > least ? x : least));
#endif
}

// Which bytes a register of integers stands for.
enum class ByteOrder {
  kConsecutive, // a quarter of the bytes
  kBySegment    // a quarter of every 16 bytes, which takes no instruction to restore
};

// Returns the bytes of integers plus a zero point of 16 bits, between 0 and 255.
template <ByteOrder kOrder>
inline Bytes saturated_bytes(const Integers (&x)[kRegistersOfBytes], int32_t zero_point) {
#if defined(CPU_CAPABILITY_AVX512)
  const auto at = [&](int i) { return reinterpret_cast<__m512i>(x[i]); };
  const __m512i point = _mm512_set1_epi16(static_cast<int16_t>(zero_point));
  const __m512i low = _mm512_adds_epi16(_mm512_packs_epi32(at(0), at(1)), point);
  const __m512i high = _mm512_adds_epi16(_mm512_packs_epi32(at(2), at(3)), point);
  const __m512i bytes = _mm512_packus_epi16(low, high);
  if constexpr (kOrder == ByteOrder::kBySegment) {
    return reinterpret_cast<Bytes>(bytes);
  }
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return reinterpret_cast<Bytes>(_mm512_maskz_permutexvar_epi32(__mmask16(-1), order, bytes));
#elif defined(CPU_CAPABILITY_AVX2)
  const auto at = [&](int i) { return reinterpret_cast<__m256i>(x[i]); };
  const __m256i point = _mm256_set1_epi16(static_cast<int16_t>(zero_point));
  const __m256i low = _mm256_adds_epi16(_mm256_packs_epi32(at(0), at(1)), point);
  const __m256i high = _mm256_adds_epi16(_mm256_packs_epi32(at(2), at(3)), point);
  const __m256i bytes = _mm256_packus_epi16(low, high);
  if constexpr (kOrder == ByteOrder::kBySegment) {
    return reinterpret_cast<Bytes>(bytes);
  }
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return reinterpret_cast<Bytes>(_mm256_permutevar8x32_epi32(bytes, order));
#else
  static_assert(sizeof(Bytes) == 16, "both orders are the same");
  Bytes bytes;
  for (int i = 0; i < kRegistersOfBytes; ++i) {
    Integers whole = x[i] + zero_point;
    whole = whole < 0 ? Integers{} : whole;
    const auto part = at::vec::convert_lanes<uint8_t>(whole > 255 ? Integers{} + 255 : whole);
    std::memcpy(reinterpret_cast<char*>(&bytes) + i * sizeof(part), &part, sizeof(part));
  }
  return bytes;
#endif
}

template <class Byte>
inline Integers load_widened(const Byte* from) {
  [[maybe_unused]] constexpr bool kIsSigned = std::is_signed_v<Byte>;
#if defined(CPU_CAPABILITY_AVX512)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return reinterpret_cast<Integers>(
      kIsSigned ? _mm512_maskz_cvtepi8_epi32(__mmask16(-1), bytes)
                : _mm512_maskz_cvtepu8_epi32(__mmask16(-1), bytes));
#elif defined(CPU_CAPABILITY_AVX2)
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return reinterpret_cast<Integers>(
      kIsSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes));
#else
  return at::vec::convert_lanes<int32_t>(at::vec::load<Byte, kLanes<int32_t>>(from));
#endif
}

} // namespace CPU_CAPABILITY
} // namespace at::native
