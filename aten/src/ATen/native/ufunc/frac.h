#pragma once

#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// What follows the decimal point, with the sign of the number.
template <typename T>
AT_UFUNC T frac(T self) {
  return self - math::trunc(self);
}

} // namespace at::native::ufunc
