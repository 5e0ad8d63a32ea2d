#pragma once

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/native/ScalarBytes.h>

// The C++ types that a kernel is compiled for. The callable receives a value of the type.

namespace at::native {
inline namespace CPU_CAPABILITY {

// For bit operators, addition and multiplication, signed and unsigned types behave the same.
template <typename F>
void for_integer_width(ScalarType dtype, const F& f) {
  switch (c10::elementSize(dtype)) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    default:
      return f(uint64_t());
  }
}

template <typename F>
void for_integer(ScalarType dtype, const char* name, const F& f) {
  switch (dtype) {
    case kByte:
      return f(uint8_t());
    case kChar:
      return f(int8_t());
    case kShort:
      return f(int16_t());
    case kInt:
      return f(int32_t());
    case kLong:
      return f(int64_t());
    default:
      at::detail::dispatch_unsupported(name, dtype);
  }
}

template <typename F>
void for_floating(ScalarType dtype, const char* name, const F& f) {
  switch (dtype) {
    case kFloat:
      return f(float());
    case kDouble:
      return f(double());
    case kHalf:
      return f(c10::Half());
    case kBFloat16:
      return f(c10::BFloat16());
    default:
      at::detail::dispatch_unsupported(name, dtype);
  }
}

// The callable receives the type of the real and imaginary parts.
template <typename F>
void for_complex(ScalarType dtype, const char* name, const F& f) {
  switch (dtype) {
    case kComplexFloat:
      return f(float());
    case kComplexDouble:
      return f(double());
    case kComplexHalf:
      return f(c10::Half());
    default:
      at::detail::dispatch_unsupported(name, dtype);
  }
}

// Complex arithmetic uses the compute type of the parts.
template <typename T>
using complex_math = c10::complex<at::opmath_type<T>>;

template <typename T>
C10_ALWAYS_INLINE complex_math<T> widen(c10::complex<T> value) {
  return complex_math<T>(value.real(), value.imag());
}
template <typename T>
C10_ALWAYS_INLINE c10::complex<T> narrow(complex_math<T> value) {
  return c10::complex<T>(static_cast<T>(value.real()), static_cast<T>(value.imag()));
}

} // namespace CPU_CAPABILITY
} // namespace at::native
