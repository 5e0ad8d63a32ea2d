#pragma once

#include <ATen/native/ScalarMath.h>
#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// The least common multiple, which wraps where it does not fit; 0 if either argument is.
template <typename T>
AT_UFUNC T lcm(T self, T other) {
  const auto a = scalar_math::magnitude(self), b = scalar_math::magnitude(other);
  const auto divisor = scalar_math::common_divisor(a, b);
  const auto multiple = static_cast<T>(divisor == 0 ? divisor : a / divisor * b);
  // Smaller numbers are multiplied as int, where the product is never negative.
  if constexpr (sizeof(T) < sizeof(int)) {
    return multiple;
  }
  return multiple < 0 ? scalar_math::negated(multiple) : multiple;
}

} // namespace at::native::ufunc
