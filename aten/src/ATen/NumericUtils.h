#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <cmath>
#include <type_traits>

namespace at {

// isnan and isinf for every dtype: always false for integers; true for a complex number if either
// part is.
template <typename T>
inline bool _isnan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else if constexpr (c10::is_complex<T>::value) {
    return std::isnan(value.real()) || std::isnan(value.imag());
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else {
    return std::isnan(static_cast<float>(value));
  }
}

template <typename T>
inline bool _isinf(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else if constexpr (c10::is_complex<T>::value) {
    return std::isinf(value.real()) || std::isinf(value.imag());
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isinf(value);
  } else {
    return std::isinf(static_cast<float>(value));
  }
}

} // namespace at
