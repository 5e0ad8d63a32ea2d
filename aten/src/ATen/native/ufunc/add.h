#pragma once

#include <ATen/native/ufunc/Formula.h>

#include <concepts>

namespace at::native::ufunc {

template <typename T, typename Number>
requires(!is_signed_integer<T>) AT_UFUNC T add(T self, T other, Number alpha) {
  return math::multiply_add(other, alpha, self);
}

// A template, which integers do not convert to.
template <std::same_as<bool> T>
AT_UFUNC T add(T self, T other, T alpha) {
  return self || (other && alpha);
}

// The same for bytes that are 0 or 1.
template <typename T>
AT_UFUNC T add_flags(T self, T other, number_in<T> alpha) {
  return self | (other & alpha);
}

} // namespace at::native::ufunc
