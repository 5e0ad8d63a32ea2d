#pragma once

#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// log(exp(self) + exp(other)), without overflow. Equal infinities have no difference.
template <typename T>
AT_UFUNC T logaddexp(T self, T other) {
  const T larger = self > other ? self : other;
  const T gap = self == other ? T{} : math::abs(self - other);
  return larger + math::log1p(math::exp(-gap));
}

// The larger real part first, so that only the difference is exponentiated.
template <typename T>
AT_UFUNC c10::complex<T> logaddexp(c10::complex<T> self, c10::complex<T> other) {
  using device_math::exp;
  using device_math::log;
  const bool swap = self.real() < other.real();
  const auto most = swap ? other : self, least = swap ? self : other;
  if (!std::isfinite(most.real()) && self.real() == other.real()) {
    return most.real() < 0 ? most : log(exp(self) + exp(other));
  }
  return most + log(c10::complex<T>(T(1)) + exp(least - most));
}

} // namespace at::native::ufunc
