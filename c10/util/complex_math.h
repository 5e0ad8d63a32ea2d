#pragma once

// Complex elementary functions, implemented with std::complex.

#include <c10/util/complex.h>

namespace std {

#define C10_COMPLEX_FUNCTION(name)                                      \
  template <typename T>                                                 \
  c10::complex<T> name(const c10::complex<T>& z) {                      \
    return c10::complex<T>(std::name(static_cast<std::complex<T>>(z))); \
  }
C10_COMPLEX_FUNCTION(exp)
C10_COMPLEX_FUNCTION(log)
C10_COMPLEX_FUNCTION(log10)
C10_COMPLEX_FUNCTION(sqrt)
C10_COMPLEX_FUNCTION(sin)
C10_COMPLEX_FUNCTION(cos)
C10_COMPLEX_FUNCTION(tan)
C10_COMPLEX_FUNCTION(asin)
C10_COMPLEX_FUNCTION(acos)
C10_COMPLEX_FUNCTION(atan)
C10_COMPLEX_FUNCTION(sinh)
C10_COMPLEX_FUNCTION(cosh)
C10_COMPLEX_FUNCTION(tanh)
C10_COMPLEX_FUNCTION(asinh)
C10_COMPLEX_FUNCTION(acosh)
C10_COMPLEX_FUNCTION(atanh)
#undef C10_COMPLEX_FUNCTION

template <typename T>
c10::complex<T> pow(const c10::complex<T>& base, const c10::complex<T>& exponent) {
  return c10::complex<T>(
      std::pow(static_cast<std::complex<T>>(base), static_cast<std::complex<T>>(exponent)));
}
template <typename T>
c10::complex<T> pow(const c10::complex<T>& base, const T& exponent) {
  return c10::complex<T>(std::pow(static_cast<std::complex<T>>(base), exponent));
}
template <typename T>
c10::complex<T> log2(const c10::complex<T>& z) {
  return std::log(z) / c10::complex<T>(std::log(T(2)));
}
// log(1 + z) without losing precision for small z: |1+z|^2 - 1 = x(2 + x) + y^2.
template <typename T>
c10::complex<T> log1p(const c10::complex<T>& z) {
  const T x = z.real(), y = z.imag();
  if (std::abs(x) < T(0.5) && std::abs(y) < T(0.5)) {
    return c10::complex<T>(std::log1p(x * (T(2) + x) + y * y) / T(2), std::atan2(y, x + T(1)));
  }
  return std::log(z + T(1));
}
// exp(z) - 1 = expm1(x) cos(y) - 2 sin^2(y/2) + i exp(x) sin(y).
template <typename T>
c10::complex<T> expm1(const c10::complex<T>& z) {
  const T x = z.real(), y = z.imag();
  const T half_sine = std::sin(y / T(2));
  return c10::complex<T>(
      std::expm1(x) * std::cos(y) - T(2) * half_sine * half_sine, std::exp(x) * std::sin(y));
}

} // namespace std
