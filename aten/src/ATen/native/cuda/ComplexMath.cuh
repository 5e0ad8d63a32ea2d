#pragma once

// Functions that std:: has for complex numbers on the host only, from those for real numbers. The
// real ones are here under the same names, so that one formula serves both.
// Kernels of CPU capabilities inline them: a copy that was compiled for AVX2 must not be shared
// with code for older machines.

#include <c10/util/complex.h>

#include <cmath>
#include <limits>

namespace at::native::device_math {

using std::abs;
using std::cos;
using std::exp;
using std::expm1;
using std::log;
using std::log1p;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

#if defined(CPU_CAPABILITY)
#define AT_DEVICE_MATH C10_HOST_DEVICE C10_ALWAYS_INLINE
#else
#define AT_DEVICE_MATH C10_HOST_DEVICE inline
#endif
#define AT_COMPLEX_MATH \
  template <typename T> \
  AT_DEVICE_MATH c10::complex<T>

// A zero angle leaves the imaginary part exactly 0, even if the size is infinite.
AT_COMPLEX_MATH from_polar(T size, T angle) {
  return {angle == 0 ? size : size * std::cos(angle), angle == 0 ? angle : size * std::sin(angle)};
}

template <typename T>
AT_DEVICE_MATH T absolute(c10::complex<T> z) {
  return std::hypot(z.real(), z.imag());
}

AT_COMPLEX_MATH exp(c10::complex<T> z) {
  if (std::isinf(z.real()) && z.real() < 0 && !std::isfinite(z.imag())) {
    return {T(0), T(0)};
  }
  if (std::isinf(z.real()) && !std::isfinite(z.imag())) {
    return {z.real(), std::numeric_limits<T>::quiet_NaN()};
  }
  return from_polar(std::exp(z.real()), z.imag());
}

AT_COMPLEX_MATH log(c10::complex<T> z) {
  return {std::log(absolute(z)), std::atan2(z.imag(), z.real())};
}

// The half of the larger part first, which never subtracts nearly equal numbers.
AT_COMPLEX_MATH sqrt(c10::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (x == 0 && y == 0) {
    return {T(0), y};
  }
  if (std::isinf(y)) {
    return {std::numeric_limits<T>::infinity(), y};
  }
  if (std::isinf(x)) {
    const T none = y != y ? y : std::copysign(T(0), y);
    return x > 0 ? c10::complex<T>(x, none)
                 : c10::complex<T>(y != y ? y : T(0), std::copysign(-x, y));
  }
  const T half = std::sqrt((std::abs(x) + absolute(z)) / 2);
  const T other = std::abs(y) / (2 * half);
  return x >= 0 ? c10::complex<T>(half, std::copysign(other, y))
                : c10::complex<T>(other, std::copysign(half, y));
}

AT_COMPLEX_MATH sin(c10::complex<T> z) {
  return {std::sin(z.real()) * std::cosh(z.imag()), std::cos(z.real()) * std::sinh(z.imag())};
}

AT_COMPLEX_MATH cos(c10::complex<T> z) {
  return {std::cos(z.real()) * std::cosh(z.imag()), -std::sin(z.real()) * std::sinh(z.imag())};
}

// sinh x cosh x / (sinh^2 x + cos^2 y), and the limit where that overflows.
AT_COMPLEX_MATH tanh(c10::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (std::abs(x) > T(20)) {
    return {std::copysign(T(1), x), std::copysign(T(0), std::isfinite(y) ? std::sin(2 * y) : T(1))};
  }
  const T sine = std::sinh(x), cosine = std::cos(y);
  const T divisor = sine * sine + cosine * cosine;
  return {sine * std::cosh(x) / divisor, std::sin(y) * cosine / divisor};
}

AT_COMPLEX_MATH pow(c10::complex<T> base, c10::complex<T> exponent) {
  if (exponent == c10::complex<T>()) {
    return {T(1), T(0)};
  }
  if (base == c10::complex<T>()) {
    return exponent.real() > 0
        ? c10::complex<T>()
        : c10::complex<T>(std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN());
  }
  return exp(exponent * log(base));
}

// log(1 + z) without losing precision for small z: |1+z|^2 - 1 = x(2 + x) + y^2.
AT_COMPLEX_MATH log1p(c10::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (std::abs(x) < T(0.5) && std::abs(y) < T(0.5)) {
    return {std::log1p(x * (T(2) + x) + y * y) / T(2), std::atan2(y, x + T(1))};
  }
  return log(c10::complex<T>(x + T(1), y));
}

// e^z - 1 = (e^x - 1) cos y + (cos y - 1), and cos y - 1 = -2 sin^2(y/2).
AT_COMPLEX_MATH expm1(c10::complex<T> z) {
  const T half = std::sin(z.imag() / 2);
  const T grown = std::expm1(z.real());
  return {grown * std::cos(z.imag()) - 2 * half * half, (grown + 1) * std::sin(z.imag())};
}

#undef AT_COMPLEX_MATH
#undef AT_DEVICE_MATH

template <typename T>
C10_HOST_DEVICE inline T conjugate(T x) {
  return x;
}
template <typename T>
C10_HOST_DEVICE inline c10::complex<T> conjugate(c10::complex<T> z) {
  return {z.real(), -z.imag()};
}

} // namespace at::native::device_math
