#pragma once

// c10::complex<T>: the layout of std::complex<T>, usable in constant expressions and vector code.
// Functions beyond arithmetic are in c10/util/complex_math.h.

#include <c10/util/Half.h>

#include <cmath>
#include <complex>
#include <iosfwd>
#include <type_traits>

namespace c10 {

template <typename T>
struct alignas(sizeof(T) * 2) complex {
  using value_type = T;

  T real_ = T(0);
  T imag_ = T(0);

  constexpr complex() = default;
  constexpr complex(const T& re, const T& im = T()) : real_(re), imag_(im) {}
  // Widening is implicit and narrowing is explicit, as between float and double.
  template <typename U>
  requires(sizeof(U) <= sizeof(T) && !std::is_same_v<U, T>) constexpr complex(
      const complex<U>& other)
      : real_(other.real()), imag_(other.imag()) {}
  template <typename U>
  requires(sizeof(U) > sizeof(T)) explicit constexpr complex(const complex<U>& other)
      : real_(static_cast<T>(other.real())), imag_(static_cast<T>(other.imag())) {}
  template <typename U>
  explicit constexpr complex(const std::complex<U>& other)
      : real_(static_cast<T>(other.real())), imag_(static_cast<T>(other.imag())) {}

  constexpr complex& operator=(T re) {
    real_ = re;
    imag_ = T(0);
    return *this;
  }
  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr void real(T value) { real_ = value; }
  constexpr void imag(T value) { imag_ = value; }

  template <typename U>
  explicit constexpr operator std::complex<U>() const {
    return {static_cast<U>(real_), static_cast<U>(imag_)};
  }
  explicit constexpr operator bool() const { return real_ != T(0) || imag_ != T(0); }

  constexpr complex& operator+=(T re) {
    real_ += re;
    return *this;
  }
  constexpr complex& operator-=(T re) {
    real_ -= re;
    return *this;
  }
  constexpr complex& operator*=(T re) {
    real_ *= re;
    imag_ *= re;
    return *this;
  }
  constexpr complex& operator/=(T re) {
    real_ /= re;
    imag_ /= re;
    return *this;
  }
  template <typename U>
  constexpr complex& operator+=(const complex<U>& z) {
    real_ += z.real();
    imag_ += z.imag();
    return *this;
  }
  template <typename U>
  constexpr complex& operator-=(const complex<U>& z) {
    real_ -= z.real();
    imag_ -= z.imag();
    return *this;
  }
  template <typename U>
  constexpr complex& operator*=(const complex<U>& z) {
    const T a = real_, b = imag_, c = z.real(), d = z.imag();
    real_ = a * c - b * d;
    imag_ = a * d + b * c;
    return *this;
  }
  // Scales by the larger part of the divisor, so that squares neither overflow nor vanish.
  template <typename U>
  constexpr complex& operator/=(const complex<U>& z) {
    const T a = real_, b = imag_, c = z.real(), d = z.imag();
    const T abs_c = c < T(0) ? -c : c, abs_d = d < T(0) ? -d : d;
    if (abs_c >= abs_d) {
      if (abs_c == T(0) && abs_d == T(0)) {
        real_ = a / abs_c;
        imag_ = b / abs_d;
        return *this;
      }
      const T ratio = d / c;
      const T scale = T(1) / (c + d * ratio);
      real_ = (a + b * ratio) * scale;
      imag_ = (b - a * ratio) * scale;
    } else {
      const T ratio = c / d;
      const T scale = T(1) / (c * ratio + d);
      real_ = (a * ratio + b) * scale;
      imag_ = (b * ratio - a) * scale;
    }
    return *this;
  }
};

// Storage type for complex32; arithmetic goes through complex<float>.
template <>
struct alignas(4) complex<Half> {
  using value_type = Half;

  Half real_{};
  Half imag_{};

  complex() = default;
  explicit complex(Half re, Half im = Half(0.f)) : real_(re), imag_(im) {}
  explicit complex(float re, float im = 0.f) : real_(re), imag_(im) {}
  explicit complex(double re) : complex(static_cast<float>(re)) {}
  complex(const complex<float>& z) : real_(z.real()), imag_(z.imag()) {}
  explicit complex(const complex<double>& z)
      : real_(static_cast<float>(z.real())), imag_(static_cast<float>(z.imag())) {}
  operator complex<float>() const { return {real_, imag_}; }
  Half real() const { return real_; }
  Half imag() const { return imag_; }
  explicit operator bool() const { return float(real_) != 0 || float(imag_) != 0; }
  complex& operator+=(const complex& z) {
    return *this = complex<float>(*this) += complex<float>(z);
  }
  complex& operator-=(const complex& z) {
    return *this = complex<float>(*this) -= complex<float>(z);
  }
  complex& operator*=(const complex& z) {
    return *this = complex<float>(*this) *= complex<float>(z);
  }
  complex& operator/=(const complex& z) {
    return *this = complex<float>(*this) /= complex<float>(z);
  }
};

#define C10_COMPLEX_BINARY(op, assign)                                  \
  template <typename T>                                                 \
  constexpr complex<T> operator op(complex<T> a, const complex<T>& b) { \
    return a assign b;                                                  \
  }                                                                     \
  template <typename T>                                                 \
  requires(!std::is_same_v<T, Half>) constexpr complex<T> operator op(  \
      complex<T> a, const std::type_identity_t<T>& b) {                 \
    return a assign b;                                                  \
  }                                                                     \
  template <typename T>                                                 \
  requires(!std::is_same_v<T, Half>) constexpr complex<T> operator op(  \
      const std::type_identity_t<T>& a, const complex<T>& b) {          \
    complex<T> result(a);                                               \
    return result assign b;                                             \
  }
C10_COMPLEX_BINARY(+, +=)
C10_COMPLEX_BINARY(-, -=)
C10_COMPLEX_BINARY(*, *=)
C10_COMPLEX_BINARY(/, /=)
#undef C10_COMPLEX_BINARY

template <typename T>
constexpr complex<T> operator+(const complex<T>& z) {
  return z;
}
template <typename T>
constexpr complex<T> operator-(const complex<T>& z) {
  return complex<T>(-z.real(), -z.imag());
}
template <typename T>
constexpr bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <typename T>
constexpr bool operator==(const complex<T>& a, const std::type_identity_t<T>& b) {
  return a.real() == b && a.imag() == T(0);
}

C10_API std::ostream& operator<<(std::ostream& out, const complex<float>& z);
C10_API std::ostream& operator<<(std::ostream& out, const complex<double>& z);
C10_API std::ostream& operator<<(std::ostream& out, const complex<Half>& z);

template <typename T>
struct is_complex : std::false_type {};
template <typename T>
struct is_complex<complex<T>> : std::true_type {};
template <typename T>
struct is_complex<std::complex<T>> : std::true_type {};

// The real type of a complex type; other types map to themselves.
template <typename T>
struct scalar_value_type {
  using type = T;
};
template <typename T>
struct scalar_value_type<complex<T>> {
  using type = T;
};

} // namespace c10

namespace std {

template <typename T>
constexpr T real(const c10::complex<T>& z) {
  return z.real();
}
template <typename T>
constexpr T imag(const c10::complex<T>& z) {
  return z.imag();
}
template <typename T>
T abs(const c10::complex<T>& z) {
  return std::hypot(z.real(), z.imag());
}
template <typename T>
T arg(const c10::complex<T>& z) {
  return std::atan2(z.imag(), z.real());
}
template <typename T>
constexpr T norm(const c10::complex<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <typename T>
constexpr c10::complex<T> conj(const c10::complex<T>& z) {
  return c10::complex<T>(z.real(), -z.imag());
}

} // namespace std

namespace c10 {
using std::conj;
template <typename T>
complex<T> polar(const T& r, const T& theta = T()) {
  return complex<T>(r * std::cos(theta), r * std::sin(theta));
}
} // namespace c10
