#pragma once

// More functions that std:: has for complex numbers on the host only: hyperbolic functions, the
// inverses, and other bases. The inverses follow Kahan, "Branch cuts for complex elementary
// functions" (1987): products of square roots, which put the cuts where the signs of zeros say.

#include <ATen/native/cuda/ComplexMath.cuh>

#include <cmath>
#include <limits>

namespace at::native::device_math {

using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atanh;
using std::cosh;
using std::exp2;
using std::log10;
using std::log2;
using std::sinh;
using std::tan;

#define AT_COMPLEX_MATH \
  template <typename T> \
  C10_HOST_DEVICE inline c10::complex<T>

// i z and -i z
AT_COMPLEX_MATH turned_left(c10::complex<T> z) {
  return {-z.imag(), z.real()};
}
AT_COMPLEX_MATH turned_right(c10::complex<T> z) {
  return {z.imag(), -z.real()};
}

AT_COMPLEX_MATH sinh(c10::complex<T> z) {
  const T x = z.real(), y = z.imag();
  return {
      y == 0 ? std::sinh(x) : std::sinh(x) * std::cos(y), y == 0 ? y : std::cosh(x) * std::sin(y)};
}
AT_COMPLEX_MATH cosh(c10::complex<T> z) {
  const T x = z.real(), y = z.imag();
  return {
      y == 0 ? std::cosh(x) : std::cosh(x) * std::cos(y),
      y == 0 ? std::copysign(T(1), x) * y : std::sinh(x) * std::sin(y)};
}
AT_COMPLEX_MATH tan(c10::complex<T> z) {
  return turned_right(tanh(turned_left(z)));
}

// The square roots of 1 - z and of 1 + z.
template <typename T>
struct RootsAroundOne {
  c10::complex<T> below, above;
  C10_HOST_DEVICE explicit RootsAroundOne(c10::complex<T> z)
      : below(sqrt(c10::complex<T>(T(1) - z.real(), -z.imag()))),
        above(sqrt(c10::complex<T>(T(1) + z.real(), z.imag()))) {}
};

AT_COMPLEX_MATH asin(c10::complex<T> z) {
  const RootsAroundOne<T> roots(z);
  const auto a = roots.below, b = roots.above;
  return {
      std::atan2(z.real(), a.real() * b.real() - a.imag() * b.imag()),
      std::asinh(a.real() * b.imag() - a.imag() * b.real())};
}
AT_COMPLEX_MATH acos(c10::complex<T> z) {
  const RootsAroundOne<T> roots(z);
  const auto a = roots.below, b = roots.above;
  return {
      T(2) * std::atan2(a.real(), b.real()), std::asinh(b.real() * a.imag() - b.imag() * a.real())};
}
AT_COMPLEX_MATH acosh(c10::complex<T> z) {
  const auto a = sqrt(c10::complex<T>(z.real() - T(1), z.imag()));
  const auto b = sqrt(c10::complex<T>(z.real() + T(1), z.imag()));
  return {
      std::asinh(a.real() * b.real() + a.imag() * b.imag()), T(2) * std::atan2(a.imag(), b.real())};
}
AT_COMPLEX_MATH asinh(c10::complex<T> z) {
  return turned_right(asin(turned_left(z)));
}

// (log(1 + z) - log(1 - z)) / 2, by the squares of the two sizes.
AT_COMPLEX_MATH atanh(c10::complex<T> z) {
  const T x = z.real(), y = z.imag();
  const T away = std::abs(x) > std::abs(y) ? std::abs(x) : std::abs(y);
  if (away > T(1) / std::numeric_limits<T>::epsilon()) {
    // The real part of 1/z; the squares would overflow.
    const T size = std::isinf(away) ? away : absolute(z);
    const T half_pi = T(1.5707963267948966);
    return {std::isinf(size) ? std::copysign(T(0), x) : x / size / size, std::copysign(half_pi, y)};
  }
  const T side = T(1) - std::abs(x);
  const T real = std::log1p(T(4) * std::abs(x) / (side * side + y * y)) / T(4);
  const T imaginary = std::atan2(T(2) * y, (T(1) - x) * (T(1) + x) - y * y) / T(2);
  return {std::copysign(real, x), imaginary};
}
AT_COMPLEX_MATH atan(c10::complex<T> z) {
  return turned_right(atanh(turned_left(z)));
}

AT_COMPLEX_MATH log2(c10::complex<T> z) {
  const auto natural = log(z);
  constexpr T kInverse = static_cast<T>(1.4426950408889634);
  return {natural.real() * kInverse, natural.imag() * kInverse};
}
AT_COMPLEX_MATH log10(c10::complex<T> z) {
  const auto natural = log(z);
  constexpr T kInverse = static_cast<T>(0.43429448190325183);
  return {natural.real() * kInverse, natural.imag() * kInverse};
}
AT_COMPLEX_MATH exp2(c10::complex<T> z) {
  constexpr T kLog = static_cast<T>(0.6931471805599453);
  return exp(c10::complex<T>(z.real() * kLog, z.imag() * kLog));
}

#undef AT_COMPLEX_MATH

} // namespace at::native::device_math
