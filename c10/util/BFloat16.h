#pragma once

#include <c10/util/Half.h>

namespace c10 {

namespace detail {

C10_HOST_DEVICE_INLINE float bfloat16_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Rounds to nearest even; every NaN becomes the same quiet NaN.
C10_HOST_DEVICE_INLINE uint16_t float_to_bfloat16(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>(value != value ? 0x7fc0u : rounded);
}

} // namespace detail

struct alignas(2) BFloat16 {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }

  BFloat16() = default;
  constexpr BFloat16(uint16_t bits, from_bits_t) : x(bits) {}
  C10_HOST_DEVICE_INLINE BFloat16(float value) : x(detail::float_to_bfloat16(value)) {}
  C10_HOST_DEVICE_INLINE operator float() const { return detail::bfloat16_to_float(x); }
};

C10_API std::ostream& operator<<(std::ostream& out, const BFloat16& value);

} // namespace c10

C10_REDUCED_FLOAT_OPERATORS(BFloat16)
C10_REDUCED_FLOAT_LIMITS(
    c10::BFloat16, 8, 2, 4, -125, -37, 128, 38, 0x0080, 0xFF7F, 0x7F7F, 0x3C00, 0x7F80, 0x7FC0,
    0x7F81, 0x0001)
