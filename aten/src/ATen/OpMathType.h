#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Float8.h>
#include <c10/util/Half.h>

namespace at {

// The type in which arithmetic on T is computed: float for the 8-bit and 16-bit floats, T
// itself otherwise.
template <typename T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<c10::Half> {
  using type = float;
};
template <>
struct OpMathType<c10::BFloat16> {
  using type = float;
};
template <typename Format>
struct OpMathType<c10::Float8<Format>> {
  using type = float;
};

template <typename T>
using opmath_type = typename OpMathType<T>::type;

} // namespace at
