#pragma once

#include <c10/macros/Macros.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <limits>
#include <type_traits>

namespace c10 {

namespace detail {

// Converts between IEEE binary16 and binary32 with integer arithmetic and one float addition. Exact
// in both directions: rounds to nearest even, and keeps subnormals and the high bits of NaN
// payloads. Always inlined, because a copy compiled for AVX2 must not be shared with code for older
// machines.
C10_HOST_DEVICE_INLINE float half_to_float(uint16_t bits) {
#if defined(__F16C__)
  return static_cast<float>(std::bit_cast<_Float16>(bits));
#else
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  uint32_t word;
  if (magnitude >= 0x7c00u) {
    word = 0x7f800000u | (magnitude & 0x3ffu) << 13;
  } else if (magnitude >= 0x400u) {
    word = (magnitude << 13) + 0x38000000u;
  } else {
    // magnitude * 2^-24, which binary32 represents exactly.
    word = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  }
  return std::bit_cast<float>(word | sign);
#endif
}

C10_HOST_DEVICE_INLINE uint16_t float_to_half(float value) {
#if defined(__F16C__)
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
#else
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((word >> 16) & 0x8000u);
  const uint32_t magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x477ff000u) { // 65520 and above round to infinity
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) { // below 2^-14: adding 0.5 aligns the subnormal's last bit
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
#endif
}

} // namespace detail

struct alignas(2) Half {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }

  Half() = default;
  constexpr Half(uint16_t bits, from_bits_t) : x(bits) {}
  C10_HOST_DEVICE_INLINE Half(float value) : x(detail::float_to_half(value)) {}
  C10_HOST_DEVICE_INLINE operator float() const { return detail::half_to_float(x); }
};

C10_API std::ostream& operator<<(std::ostream& out, const Half& value);

} // namespace c10

#define C10_REDUCED_FLOAT_OPERATORS(T)                              \
  namespace c10 {                                                   \
  C10_HOST_DEVICE_INLINE T operator+(T a, T b) {                    \
    return static_cast<float>(a) + static_cast<float>(b);           \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator-(T a, T b) {                    \
    return static_cast<float>(a) - static_cast<float>(b);           \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator*(T a, T b) {                    \
    return static_cast<float>(a) * static_cast<float>(b);           \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator/(T a, T b) {                    \
    return static_cast<float>(a) / static_cast<float>(b);           \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator-(T a) {                         \
    return T(static_cast<uint16_t>(a.x ^ 0x8000u), T::from_bits()); \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T& operator+=(T& a, T b) {                 \
    return a = a + b;                                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T& operator-=(T& a, T b) {                 \
    return a = a - b;                                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T& operator*=(T& a, T b) {                 \
    return a = a * b;                                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T& operator/=(T& a, T b) {                 \
    return a = a / b;                                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator+(T a, float b) {            \
    return static_cast<float>(a) + b;                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator-(T a, float b) {            \
    return static_cast<float>(a) - b;                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator*(T a, float b) {            \
    return static_cast<float>(a) * b;                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator/(T a, float b) {            \
    return static_cast<float>(a) / b;                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator+(float a, T b) {            \
    return a + static_cast<float>(b);                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator-(float a, T b) {            \
    return a - static_cast<float>(b);                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator*(float a, T b) {            \
    return a * static_cast<float>(b);                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float operator/(float a, T b) {            \
    return a / static_cast<float>(b);                               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float& operator+=(float& a, T b) {         \
    return a += static_cast<float>(b);                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE float& operator*=(float& a, T b) {         \
    return a *= static_cast<float>(b);                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator+(T a, double b) {          \
    return static_cast<double>(a) + b;                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator-(T a, double b) {          \
    return static_cast<double>(a) - b;                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator*(T a, double b) {          \
    return static_cast<double>(a) * b;                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator/(T a, double b) {          \
    return static_cast<double>(a) / b;                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator+(double a, T b) {          \
    return a + static_cast<double>(b);                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator-(double a, T b) {          \
    return a - static_cast<double>(b);                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator*(double a, T b) {          \
    return a * static_cast<double>(b);                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE double operator/(double a, T b) {          \
    return a / static_cast<double>(b);                              \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator+(T a, int b) {                  \
    return a + static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator-(T a, int b) {                  \
    return a - static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator*(T a, int b) {                  \
    return a * static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator/(T a, int b) {                  \
    return a / static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator+(int a, T b) {                  \
    return static_cast<T>(static_cast<float>(a)) + b;               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator-(int a, T b) {                  \
    return static_cast<T>(static_cast<float>(a)) - b;               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator*(int a, T b) {                  \
    return static_cast<T>(static_cast<float>(a)) * b;               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator/(int a, T b) {                  \
    return static_cast<T>(static_cast<float>(a)) / b;               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator+(T a, int64_t b) {              \
    return a + static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator-(T a, int64_t b) {              \
    return a - static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator*(T a, int64_t b) {              \
    return a * static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator/(T a, int64_t b) {              \
    return a / static_cast<T>(static_cast<float>(b));               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator+(int64_t a, T b) {              \
    return static_cast<T>(static_cast<float>(a)) + b;               \
  }                                                                 \
  C10_HOST_DEVICE_INLINE T operator*(int64_t a, T b) {              \
    return static_cast<T>(static_cast<float>(a)) * b;               \
  }                                                                 \
  }

#define C10_REDUCED_FLOAT_LIMITS(                                                           \
    T, DIGITS, DIGITS10, MAXDIGITS10, MINEXP, MINEXP10, MAXEXP, MAXEXP10, MIN, LOWEST, MAX, \
    EPSILON, INFINITY_, NAN_, SNAN, DENORM)                                                 \
  template <>                                                                               \
  class std::numeric_limits<T> {                                                            \
    static constexpr T bits(uint16_t b) { return T(b, T::from_bits()); }                    \
                                                                                            \
   public:                                                                                  \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false;      \
    static constexpr bool is_exact = false, has_infinity = true, has_quiet_NaN = true;      \
    static constexpr bool has_signaling_NaN = true, is_iec559 = true, is_bounded = true;    \
    static constexpr bool is_modulo = false, traps = false, tinyness_before = false;        \
    static constexpr auto has_denorm = std::denorm_present;                                 \
    static constexpr bool has_denorm_loss = false;                                          \
    static constexpr auto round_style = std::round_to_nearest;                              \
    static constexpr int digits = DIGITS, digits10 = DIGITS10, max_digits10 = MAXDIGITS10;  \
    static constexpr int radix = 2, min_exponent = MINEXP, min_exponent10 = MINEXP10;       \
    static constexpr int max_exponent = MAXEXP, max_exponent10 = MAXEXP10;                  \
    static constexpr T min() { return bits(MIN); }                                          \
    static constexpr T lowest() { return bits(LOWEST); }                                    \
    static constexpr T max() { return bits(MAX); }                                          \
    static constexpr T epsilon() { return bits(EPSILON); }                                  \
    static T round_error() { return T(0.5f); }                                              \
    static constexpr T infinity() { return bits(INFINITY_); }                               \
    static constexpr T quiet_NaN() { return bits(NAN_); }                                   \
    static constexpr T signaling_NaN() { return bits(SNAN); }                               \
    static constexpr T denorm_min() { return bits(DENORM); }                                \
  };

C10_REDUCED_FLOAT_OPERATORS(Half)
C10_REDUCED_FLOAT_LIMITS(
    c10::Half, 11, 3, 5, -13, -4, 16, 4, 0x0400, 0xFBFF, 0x7BFF, 0x1400, 0x7C00, 0x7E00, 0x7D00,
    0x0001)
