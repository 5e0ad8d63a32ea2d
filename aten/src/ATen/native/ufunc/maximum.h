#pragma once

#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// If either argument is NaN, the result is NaN.
template <typename T>
AT_UFUNC T maximum(T self, T other) {
  const T greater = self < other ? other : self;
  if constexpr (std::is_integral_v<number_in<T>>) {
    return greater;
  } else {
    return other == other ? greater : other;
  }
}

} // namespace at::native::ufunc
