#pragma once

#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// log2(2^self + 2^other), without overflow. Equal infinities have no difference.
template <typename T>
AT_UFUNC T logaddexp2(T self, T other) {
  constexpr auto kLog2 = static_cast<number_in<T>>(0.6931471805599453);
  constexpr auto kInverseLog2 = static_cast<number_in<T>>(1.4426950408889634);
  const T larger = self > other ? self : other;
  const T gap = self == other ? T{} : math::abs(self - other);
  return larger + math::log1p(math::exp(-gap * kLog2)) * kInverseLog2;
}

} // namespace at::native::ufunc
