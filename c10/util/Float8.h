#pragma once

#include <c10/macros/Macros.h>

#include <bit>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <type_traits>

// The 8-bit floating-point numbers: storage that converts to and from float. The arithmetic is that
// of float.

namespace c10 {

namespace detail {

// What a format does beyond its finite numbers:
// Ieee: the largest exponent holds the infinities and NaNs; numbers too large become infinite.
// Finite: only the code of all ones is NaN; numbers too large become the largest one.
// FiniteUnsignedZero: only the code of -0 is NaN; numbers too large become NaN.
enum class Float8Specials : uint8_t { Ieee, Finite, FiniteUnsignedZero };

// `condition ? yes : no` by a mask: of a conditional expression compilers make a branch, which
// keeps loops from being vectorized.
C10_HOST_DEVICE_INLINE uint32_t select_word(bool condition, uint32_t yes, uint32_t no) {
  const uint32_t mask = 0u - static_cast<uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

// A sign bit, an exponent and `MantissaBits` bits of mantissa. Both conversions are free of
// branches, so that loops over them are vectorized.
template <int MantissaBits, int Bias, Float8Specials Specials>
struct SignedFloat8Format {
  static constexpr bool is_signed = true;
  static constexpr bool has_infinity = Specials == Float8Specials::Ieee;
  static constexpr bool has_unsigned_zero = Specials == Float8Specials::FiniteUnsignedZero;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr int min_exponent = 1 - Bias; // of the normal numbers

  static constexpr uint8_t kMin = 1 << MantissaBits; // the smallest normal number
  static constexpr uint8_t kInfinity = has_infinity ? 0x80 - kMin : 0;
  static constexpr uint8_t kMax = has_infinity ? kInfinity - 1 : has_unsigned_zero ? 0x7f : 0x7e;
  static constexpr uint8_t kLowest = kMax | 0x80;
  static constexpr uint8_t kNaN = has_unsigned_zero ? 0x80 : 0x7f;
  static constexpr uint8_t kEpsilon = (Bias - MantissaBits) << MantissaBits;
  static constexpr uint8_t kDenormMin = 1;

  C10_HOST_DEVICE_INLINE static float decode(uint8_t code) {
    const uint32_t sign = static_cast<uint32_t>(code & 0x80u) << 24;
    const uint32_t magnitude = code & 0x7fu;
    const uint32_t normal = (magnitude << kDropped) + (static_cast<uint32_t>(127 - Bias) << 23);
    const uint32_t subnormal =
        std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(magnitude)) * kSmallest);
    uint32_t word = select_word(magnitude < kMin, subnormal, normal);
    if constexpr (has_unsigned_zero) {
      word = select_word(code == kNaN, 0x7fc00000u, word | sign);
    } else {
      word = select_word(magnitude > kMax, 0x7f800000u | (magnitude << kDropped & 0x7fffffu), word);
      word |= sign;
    }
    return std::bit_cast<float>(word);
  }

  // Rounds to nearest, ties to even.
  C10_HOST_DEVICE_INLINE static uint8_t encode(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t sign = word >> 24 & 0x80u;
    const uint32_t magnitude = word & 0x7fffffffu;
    const uint32_t odd = magnitude >> kDropped & 1u;
    const uint32_t normal = (magnitude - (static_cast<uint32_t>(127 - Bias) << 23) +
                             ((1u << (kDropped - 1)) - 1) + odd) >>
        kDropped;
    // The last bit of kAligned is the smallest subnormal number, so the addition rounds to it.
    constexpr uint32_t kAligned = static_cast<uint32_t>(127 + 23 + min_exponent - MantissaBits)
        << 23;
    const uint32_t subnormal =
        std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(kAligned)) -
        kAligned;
    uint32_t code =
        select_word(magnitude < static_cast<uint32_t>(128 - Bias) << 23, subnormal, normal);
    if constexpr (has_unsigned_zero) {
      code = select_word(code > kMax, kNaN, code);
    } else {
      constexpr uint32_t kOverflow = has_infinity ? kInfinity : kMax;
      code = code < kOverflow ? code : kOverflow;
    }
    code = select_word(magnitude > 0x7f800000u, kNaN, code);
    if constexpr (has_unsigned_zero) {
      return static_cast<uint8_t>(select_word(code == 0, 0, code | sign));
    } else {
      return static_cast<uint8_t>(code | sign);
    }
  }

 private:
  static constexpr int kDropped = 23 - MantissaBits; // bits of a float's mantissa
  static constexpr float kSmallest =
      std::bit_cast<float>(static_cast<uint32_t>(127 + min_exponent - MantissaBits) << 23);
};

} // namespace detail

struct Float8E4M3FNFormat : detail::SignedFloat8Format<3, 7, detail::Float8Specials::Finite> {
  static constexpr const char* kName = "c10::Float8_e4m3fn";
};
struct Float8E5M2Format : detail::SignedFloat8Format<2, 15, detail::Float8Specials::Ieee> {
  static constexpr const char* kName = "c10::Float8_e5m2";
};
struct Float8E4M3FNUZFormat
    : detail::SignedFloat8Format<3, 8, detail::Float8Specials::FiniteUnsignedZero> {
  static constexpr const char* kName = "c10::Float8_e4m3fnuz";
};
struct Float8E5M2FNUZFormat
    : detail::SignedFloat8Format<2, 16, detail::Float8Specials::FiniteUnsignedZero> {
  static constexpr const char* kName = "c10::Float8_e5m2fnuz";
  static constexpr uint8_t kEpsilon = 0x34; // half of the true distance, as in PyTorch
};

// An exponent alone: the powers of two from 2^-127 to 2^127, and NaN. There is no zero, and signs
// are dropped.
struct Float8E8M0FNUFormat {
  static constexpr const char* kName = "c10::Float8_e8m0fnu";
  static constexpr bool is_signed = false;
  static constexpr bool has_infinity = false;
  static constexpr int mantissa_bits = 0;
  static constexpr int min_exponent = -127;

  static constexpr uint8_t kMin = 0, kLowest = 0, kDenormMin = 0;
  static constexpr uint8_t kMax = 0xfe, kInfinity = 0, kNaN = 0xff;
  static constexpr uint8_t kEpsilon = 0x7f;

  C10_HOST_DEVICE_INLINE static float decode(uint8_t code) {
    uint32_t word = static_cast<uint32_t>(code) << 23;
    word = code == 0 ? 0x400000u : word; // 2^-127, which is subnormal as a float
    word = code == kNaN ? 0x7fc00000u : word;
    return std::bit_cast<float>(word);
  }

  // Rounds to nearest; ties go up, but for the one below 2^-126.
  C10_HOST_DEVICE_INLINE static uint8_t encode(float value) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(value) & 0x7fffffffu;
    const uint32_t half = magnitude < 0x800000u ? 0x3fffffu : 0x400000u;
    const uint32_t code = (magnitude + half) >> 23;
    return static_cast<uint8_t>(code > kNaN ? kNaN : code);
  }
};

template <typename Format>
struct alignas(1) Float8 {
  uint8_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }

  Float8() = default;
  constexpr Float8(uint8_t bits, from_bits_t) : x(bits) {}
  C10_HOST_DEVICE_INLINE Float8(float value) : x(Format::encode(value)) {}
  C10_HOST_DEVICE_INLINE operator float() const { return Format::decode(x); }

  C10_HOST_DEVICE_INLINE bool isnan() const {
    const float value = *this;
    return value != value;
  }
};

using Float8_e4m3fn = Float8<Float8E4M3FNFormat>;
using Float8_e5m2 = Float8<Float8E5M2Format>;
using Float8_e4m3fnuz = Float8<Float8E4M3FNUZFormat>;
using Float8_e5m2fnuz = Float8<Float8E5M2FNUZFormat>;
using Float8_e8m0fnu = Float8<Float8E8M0FNUFormat>;

template <typename T>
inline constexpr bool is_float8_v = false;
template <typename Format>
inline constexpr bool is_float8_v<Float8<Format>> = true;

} // namespace c10

template <typename Format>
class std::numeric_limits<c10::Float8<Format>> {
  using T = c10::Float8<Format>;
  static constexpr T bits(uint8_t code) { return T(code, T::from_bits()); }

 public:
  static constexpr bool is_specialized = true, is_signed = Format::is_signed, is_integer = false;
  static constexpr bool is_exact = false, has_infinity = Format::has_infinity;
  static constexpr bool has_quiet_NaN = true, has_signaling_NaN = false, is_iec559 = false;
  static constexpr bool is_bounded = true, is_modulo = false, traps = false;
  static constexpr bool tinyness_before = false, has_denorm_loss = false;
  static constexpr auto round_style = std::round_to_nearest;
  static constexpr int radix = 2, digits = Format::mantissa_bits + 1;
  static constexpr int min_exponent = Format::min_exponent + 1;
  static constexpr T min() { return bits(Format::kMin); }
  static constexpr T lowest() { return bits(Format::kLowest); }
  static constexpr T max() { return bits(Format::kMax); }
  static constexpr T epsilon() { return bits(Format::kEpsilon); }
  static constexpr T infinity() { return bits(Format::kInfinity); }
  static constexpr T quiet_NaN() { return bits(Format::kNaN); }
  static constexpr T denorm_min() { return bits(Format::kDenormMin); }
};
