#pragma once

#include <ATen/native/ScalarMath.h>
#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// The greatest common divisor, which is never negative; gcd(0, 0) is 0.
template <typename T>
AT_UFUNC T gcd(T self, T other) {
  return static_cast<T>(
      scalar_math::common_divisor(scalar_math::magnitude(self), scalar_math::magnitude(other)));
}

} // namespace at::native::ufunc
