#pragma once

#include <ATen/OpMathType.h>
#include <c10/util/complex.h>

namespace at::native {

// The type in which arithmetic on elements T is computed, complex numbers of 16-bit parts included.
template <typename T>
struct MathType {
  using type = at::opmath_type<T>;
};
template <>
struct MathType<c10::complex<c10::Half>> {
  using type = c10::complex<float>;
};
template <typename T>
using math_type = typename MathType<T>::type;

} // namespace at::native
