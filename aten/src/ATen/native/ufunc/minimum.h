#pragma once

#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// If either argument is NaN, the result is NaN.
template <typename T>
AT_UFUNC T minimum(T self, T other) {
  const T lesser = self > other ? other : self;
  if constexpr (std::is_integral_v<number_in<T>>) {
    return lesser;
  } else {
    return other == other ? lesser : other;
  }
}

} // namespace at::native::ufunc
