#pragma once

#include <c10/core/ScalarType.h>
#include <c10/macros/Macros.h>

#include <cstdint>
#include <iosfwd>
#include <type_traits>

namespace c10 {

// A number of any kind: bool, integer, floating-point or complex. Python numbers become Scalars.
class C10_API Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      tag_ = Tag::Bool;
      payload_.integer = value;
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      set_unsigned(value);
    } else {
      tag_ = Tag::Int;
      payload_.integer = static_cast<int64_t>(value);
    }
  }
  Scalar(double value) : tag_(Tag::Double) { payload_.real[0] = value; }
  Scalar(float value) : Scalar(static_cast<double>(value)) {}
  Scalar(Half value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  Scalar(BFloat16 value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  template <typename Format>
  Scalar(Float8<Format> value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  Scalar(complex<double> value) : tag_(Tag::Complex) {
    payload_.real[0] = value.real();
    payload_.real[1] = value.imag();
  }
  Scalar(complex<float> value) : Scalar(complex<double>(value)) {}
  Scalar(complex<Half> value) : Scalar(complex<float>(value)) {}

  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  bool isIntegral(bool includeBool) const {
    return tag_ == Tag::Int || tag_ == Tag::UInt || (includeBool && tag_ == Tag::Bool);
  }
  bool isComplex() const { return tag_ == Tag::Complex; }
  bool isBoolean() const { return tag_ == Tag::Bool; }
  bool isUnsigned() const { return tag_ == Tag::UInt; }
  bool isSymbolic() const { return false; }
  bool isSymInt() const { return false; }
  bool isSymFloat() const { return false; }
  bool isSymBool() const { return false; }

  // Converts with a range check; throws when the value does not fit.
  template <typename T>
  T to() const;
#define C10_ACCESSOR(type, name, number) type to##name() const;
  C10_FORALL_SCALAR_TYPES(C10_ACCESSOR)
#undef C10_ACCESSOR
  int64_t toSymInt() const;

  Scalar operator-() const;
  Scalar conj() const;
  Scalar log() const;

  bool equal(bool other) const {
    return tag_ == Tag::Bool && (payload_.integer != 0) == other;
  }
  template <typename T, std::enable_if_t<!std::is_same_v<T, bool>, int> = 0>
  bool equal(T other) const {
    if constexpr (is_complex<T>::value) {
      return tag_ != Tag::Bool && as_complex() == complex<double>(other);
    } else {
      return equal_number(
          static_cast<double>(other), static_cast<int64_t>(other), std::is_integral_v<T>);
    }
  }

  // The narrowest of bool, int64 (uint64 above its range), double and complex double.
  ScalarType type() const;

 private:
  enum class Tag : uint8_t { Double, Int, UInt, Complex, Bool };

  void set_unsigned(uint64_t value) {
    tag_ = value > static_cast<uint64_t>(INT64_MAX) ? Tag::UInt : Tag::Int;
    payload_.integer = static_cast<int64_t>(value);
  }
  complex<double> as_complex() const;
  bool equal_number(double real, int64_t integer, bool integral) const;

  Tag tag_ = Tag::Int;
  union {
    double real[2];
    int64_t integer;
  } payload_;
};

#define C10_DECLARE_TO(type, name, number) \
  template <>                              \
  C10_API type Scalar::to<type>() const;
C10_FORALL_SCALAR_TYPES(C10_DECLARE_TO)
#undef C10_DECLARE_TO
#define C10_ACCESSOR(type, name, number) \
  inline type Scalar::to##name() const { \
    return to<type>();                   \
  }
C10_FORALL_SCALAR_TYPES(C10_ACCESSOR)
#undef C10_ACCESSOR
inline int64_t Scalar::toSymInt() const {
  return to<int64_t>();
}
template <>
inline long long Scalar::to<long long>() const {
  return static_cast<long long>(to<int64_t>());
}
template <>
inline Scalar Scalar::to<Scalar>() const {
  return *this;
}

C10_API std::ostream& operator<<(std::ostream& out, const Scalar& scalar);

namespace detail {
[[noreturn]] C10_API void report_overflow(const char* type_name);
}

} // namespace c10

namespace at {
using c10::Scalar;
} // namespace at
