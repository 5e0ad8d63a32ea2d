#pragma once

// Formulas for one number that kernels of all devices share.

#include <c10/macros/Macros.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

// Always inlined: a copy that was compiled for AVX2 must not be shared with code for older
// machines.
#define AT_SCALAR_MATH C10_HOST_DEVICE C10_ALWAYS_INLINE

namespace at::native::scalar_math {

// Repeated squaring, which wraps like multiplication; only 1 and -1 have inverses.
template <typename T>
AT_SCALAR_MATH T integer_power(T base, T exponent) {
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      return base == 1 ? T(1) : base == -1 ? T((exponent & 1) != 0 ? -1 : 1) : T(0);
    }
  }
  U result = 1;
  U factor = static_cast<U>(base);
  for (U left = static_cast<U>(exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) {
      result = static_cast<U>(result * factor);
    }
    factor = static_cast<U>(factor * factor);
  }
  return static_cast<T>(result);
}

// ---- division of integers by a divisor other than 0. The only quotient that does not fit, lowest
// / -1, wraps and does not trap.

template <typename T>
AT_SCALAR_MATH bool is_minus_one(T b) {
  if constexpr (std::is_signed_v<T>) {
    return b == T(-1);
  } else {
    return false;
  }
}
template <typename T>
AT_SCALAR_MATH T negated(T a) {
  return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
}
template <typename T>
AT_SCALAR_MATH bool signs_differ(T rest, T b) {
  return std::is_signed_v<T> && rest != 0 && ((rest < 0) != (b < 0));
}

template <typename T>
AT_SCALAR_MATH T truncated_quotient(T a, T b) {
  return is_minus_one(b) ? negated(a) : static_cast<T>(a / b);
}
template <typename T>
AT_SCALAR_MATH T floored_quotient(T a, T b) {
  if (is_minus_one(b)) {
    return negated(a);
  }
  const T rest = static_cast<T>(a % b);
  return static_cast<T>(a / b - (signs_differ(rest, b) ? 1 : 0));
}
template <typename T>
AT_SCALAR_MATH T floored_remainder(T a, T b) {
  if (is_minus_one(b)) {
    return 0;
  }
  const T rest = static_cast<T>(a % b);
  return static_cast<T>(rest + (signs_differ(rest, b) ? b : 0));
}

// ---- functions of two numbers

// The sign of the dividend, as in C. The smallest integer divided by -1 overflows, so the remainder
// of -1 is not computed.
template <typename T>
AT_SCALAR_MATH T truncated_remainder(T a, T b) {
  return is_minus_one(b) ? T(0) : static_cast<T>(a % b);
}

// Shifting by the width or more leaves what remains: zeros, or copies of the sign.
template <bool left, typename T>
AT_SCALAR_MATH T shifted(T x, T by) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr int width = static_cast<int>(8 * sizeof(T));
  const bool outside = static_cast<Unsigned>(by) >= static_cast<Unsigned>(width);
  if constexpr (left) {
    return outside ? T(0) : static_cast<T>(static_cast<Unsigned>(x) << by);
  } else {
    constexpr int most = std::is_signed_v<T> ? width - 1 : width;
    if (outside) {
      return std::is_signed_v<T> ? static_cast<T>(x >> most) : T(0);
    }
    return static_cast<T>(x >> by);
  }
}

// ---- divisors of integers

template <typename T>
using Magnitude = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// The absolute value, which fits for every number.
template <typename T>
AT_SCALAR_MATH Magnitude<T> magnitude(T x) {
  const auto size = static_cast<Magnitude<T>>(x);
  return x < 0 ? 0 - size : size;
}

AT_SCALAR_MATH int trailing_zeros(uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(x)) - 1;
#else
  return std::countr_zero(x);
#endif
}

// The greatest common divisor by halves and differences, which are faster than divisions: J. Stein,
// "Computational problems associated with Racah algebra" (1967).
template <typename U>
AT_SCALAR_MATH U common_divisor(U a, U b) {
  if (a == 0 || b == 0) {
    return a | b;
  }
  const int twos = trailing_zeros(a | b);
  a >>= trailing_zeros(a);
  b >>= trailing_zeros(b);
  // Which number is the larger one is hard to predict, so only the loop branches.
  while (a != b) {
    const U difference = a - b, sign = a < b ? ~U{0} : U{0};
    const U size = (difference ^ sign) - sign;
    b = a < b ? a : b;
    a = size >> trailing_zeros(difference);
  }
  return a << twos;
}

// What replaces NaN and the infinities.
template <typename T>
struct Replacements {
  T nan, above, below;

  AT_SCALAR_MATH T operator()(T x) const {
    if (x != x) {
      return nan;
    }
    return std::isinf(x) ? (x > 0 ? above : below) : x;
  }
};

// ---- the inverse of the error function

AT_SCALAR_MATH double polynomial(double w, const double (&c)[9]) {
  double p = c[0];
  for (int i = 1; i < 9; ++i) {
    p = p * w + c[i];
  }
  return p;
}

// Single precision: Giles, "Approximating the erfinv function" (2010).
AT_SCALAR_MATH double erfinv_estimate(double y) {
  constexpr double kCentre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                              -0.00367342844,  0.00573950773,  -0.0076224613,
                              0.00943887047,   1.00167406,     2.83297682};
  const double w = -std::log((1 - y) * (1 + y));
  return y * (w < 5 ? polynomial(w - 2.5, kCentre) : polynomial(std::sqrt(w) - 3, kTail));
}

// Two Newton steps extend it to double precision. In the tail the complement preserves the digits.
AT_SCALAR_MATH double erfinv(double y) {
  const double size = std::abs(y);
  if (!(size < 1)) {
    return size == 1 ? std::copysign(std::numeric_limits<double>::infinity(), y)
                     : std::numeric_limits<double>::quiet_NaN();
  }
  constexpr double kHalfRootPi = 0.8862269254527580;
  double x = erfinv_estimate(size);
  for (int step = 0; step < 2; ++step) {
    const double excess = size > 0.5 ? (1 - size) - std::erfc(x) : std::erf(x) - size;
    x -= excess * kHalfRootPi * std::exp(x * x);
  }
  return std::copysign(x, y);
}

} // namespace at::native::scalar_math
