#pragma once

#include <ATen/native/ufunc/Formula.h>

#include <limits>

namespace at::native::ufunc {

// sqrt(self^2 + other^2), where no square overflows: m sqrt(1 + (l/m)^2) for the larger size m and
// the smaller l. Infinite if either argument is, even if the other one is NaN.
template <typename T>
AT_UFUNC T hypot(T self, T other) {
  constexpr auto kInfinity = std::numeric_limits<number_in<T>>::infinity();
  const T x = math::abs(self), y = math::abs(other);
  const T larger = x < y ? y : x;
  const T smaller = x < y ? x : y;
  const T ratio = smaller / larger;
  const T size = larger * math::sqrt(ratio * ratio + number_in<T>(1));
  const T finite = smaller == T{} ? larger : size; // 0 / 0 is not a ratio
  return ((x == kInfinity) | (y == kInfinity)) ? T{} + kInfinity : finite;
}

} // namespace at::native::ufunc
