#pragma once

#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

template <typename T>
AT_UFUNC T copysign(T self, T other) {
  return math::copysign(self, other);
}

} // namespace at::native::ufunc
