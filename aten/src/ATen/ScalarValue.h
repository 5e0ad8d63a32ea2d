#pragma once

#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Macros.h>
#include <c10/util/complex.h>

#include <cstdint>
#include <type_traits>

// One element of any dtype, converted by the rules for tensors: complex to real drops the imaginary
// part, anything nonzero becomes true, floating to integral truncates.

namespace at {

namespace detail {
// By its parts, since the functions of complex half-precision numbers are not for devices.
template <typename To, typename Part>
C10_HOST_DEVICE C10_ALWAYS_INLINE To complex_of(Part real, Part imag) {
  To value;
  value.real_ = real;
  value.imag_ = imag;
  return value;
}

template <typename T>
inline constexpr bool is_reduced_v =
    std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16> || c10::is_float8_v<T>;
} // namespace detail

template <typename To, typename From>
C10_HOST_DEVICE C10_ALWAYS_INLINE To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (c10::is_complex<From>::value) {
    if constexpr (c10::is_complex<To>::value) {
      using Part = typename To::value_type;
      return detail::complex_of<To>(
          convert_element<Part>(value.real_), convert_element<Part>(value.imag_));
    } else if constexpr (std::is_same_v<To, bool>) {
      return convert_element<bool>(value.real_) || convert_element<bool>(value.imag_);
    } else {
      return convert_element<To>(value.real_);
    }
  } else if constexpr (c10::is_complex<To>::value) {
    using Part = typename To::value_type;
    return detail::complex_of<To>(convert_element<Part>(value), Part(0.0f));
  } else if constexpr (detail::is_reduced_v<From>) {
    return convert_element<To>(static_cast<float>(value));
  } else if constexpr (detail::is_reduced_v<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (
      std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < sizeof(int64_t)) {
    // Negative values wrap into unsigned types, which C++ leaves undefined.
    return static_cast<To>(static_cast<int64_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <typename To>
C10_HOST_DEVICE To load_value(const void* source, ScalarType dtype) {
  if constexpr (c10::is_float8_v<To>) {
    return To(load_value<float>(source, dtype));
  }
  switch (dtype) {
#define AT_LOAD_CASE(type, name, number) \
  case ScalarType::name:                 \
    return convert_element<To>(*static_cast<const type*>(source));
    C10_FORALL_SCALAR_TYPES(AT_LOAD_CASE)
#undef AT_LOAD_CASE
    default:
      return To{};
  }
}

// Runtime versions of the same, and conversions to and from Scalar. None of them check for
// overflow.
TORCH_API void convert_value(void* target, ScalarType to, const void* source, ScalarType from);
TORCH_API Scalar value_to_scalar(const void* source, ScalarType dtype);
TORCH_API void store_value(void* target, ScalarType dtype, const Scalar& value);

} // namespace at
