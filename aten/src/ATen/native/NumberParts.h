#pragma once

// The parts of floating-point numbers: formulas for elements and vectors, and the stubs of angle
// and frexp.

#include <ATen/core/TensorBase.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/ufunc/Formula.h>

#include <limits>
#include <numbers>

namespace at {
struct TensorIteratorBase;
}

namespace at::native {

// The angle of real numbers, or NaN of NaN.
template <typename T>
AT_UFUNC T angle_of_real(T x) {
  const T zero{};
  const T size = x == x ? zero : x;
  return x < zero ? zero + std::numbers::pi_v<ufunc::number_in<T>> : size;
}

// x = mantissa * 2^exponent with 0.5 <= |mantissa| < 1. Zeros, infinities and NaN are their own
// mantissas, with exponent 0. The exponents wrap in the unsigned integers of the size of T.
template <typename T>
struct MantissaAndExponent {
  T mantissa;
  typename ufunc::math::Bits<T>::type exponent;
};

template <typename T>
AT_UFUNC MantissaAndExponent<T> mantissa_and_exponent(T x) {
  using Number = ufunc::number_in<T>;
  using Bits = typename ufunc::math::Bits<T>::type;
  using Word = ufunc::number_in<Bits>;
  using Limits = std::numeric_limits<Number>;
  constexpr int kDigits = Limits::digits - 1;
  constexpr auto kField = static_cast<Word>(2 * Limits::max_exponent - 1);
  constexpr auto kHalf = static_cast<Word>(Limits::max_exponent - 2); // the field of 0.5
  constexpr int kScale = 64; // makes every subnormal number normal
  const auto field_of = [](Bits bits) { return (bits >> kDigits) & kField; };

  const Bits given = ufunc::math::bits(x);
  const Bits scaled = ufunc::math::bits(static_cast<T>(x * static_cast<Number>(0x1p64)));
  const auto subnormal = field_of(given) == Word(0);
  const auto whole = (x == T{}) | (field_of(given) == kField);
  const Bits bits = subnormal ? scaled : given;
  const Bits offset = subnormal ? Bits{} + Word(kHalf + kScale) : Bits{} + kHalf;
  const Bits half = (bits & static_cast<Word>(~(kField << kDigits))) | (kHalf << kDigits);
  return {
      whole ? x : ufunc::math::from_bits<T>(half),
      whole ? Bits{} : static_cast<Bits>(field_of(bits) - offset)};
}

DECLARE_DISPATCH(void (*)(TensorIteratorBase&), angle_stub);
using frexp_fn =
    void (*)(const TensorBase& self, const TensorBase& mantissa, const TensorBase& exponent);
DECLARE_DISPATCH(frexp_fn, frexp_stub);

} // namespace at::native
