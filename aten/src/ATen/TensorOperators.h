#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

// Arithmetic and comparison signs for tensors: Tensor with Tensor, Tensor with number, number with
// Tensor. In-place forms are members of Tensor.

namespace at {

#define AT_TENSOR_SIGN_(sign, method)                             \
  inline Tensor operator sign(const Tensor& x, const Tensor& y) { \
    return x.method(y);                                           \
  }                                                               \
  inline Tensor operator sign(const Tensor& x, const Scalar& y) { \
    return x.method(y);                                           \
  }

AT_TENSOR_SIGN_(+, add)
AT_TENSOR_SIGN_(-, sub)
AT_TENSOR_SIGN_(*, mul)
AT_TENSOR_SIGN_(/, div)
AT_TENSOR_SIGN_(%, remainder)
AT_TENSOR_SIGN_(&, bitwise_and)
AT_TENSOR_SIGN_(|, bitwise_or)
AT_TENSOR_SIGN_(^, bitwise_xor)
AT_TENSOR_SIGN_(<, lt)
AT_TENSOR_SIGN_(<=, le)
AT_TENSOR_SIGN_(>, gt)
AT_TENSOR_SIGN_(>=, ge)
AT_TENSOR_SIGN_(==, eq)
AT_TENSOR_SIGN_(!=, ne)
#undef AT_TENSOR_SIGN_

// With the number on the left: by commutation, or by the operator that has the sides exchanged.
inline Tensor operator+(const Scalar& x, const Tensor& y) {
  return y.add(x);
}
inline Tensor operator*(const Scalar& x, const Tensor& y) {
  return y.mul(x);
}
inline Tensor operator-(const Scalar& x, const Tensor& y) {
  return y.neg().add(x);
}
inline Tensor operator/(const Scalar& x, const Tensor& y) {
  return y.reciprocal().mul(x);
}
inline Tensor operator<(const Scalar& x, const Tensor& y) {
  return y.gt(x);
}
inline Tensor operator<=(const Scalar& x, const Tensor& y) {
  return y.ge(x);
}
inline Tensor operator>(const Scalar& x, const Tensor& y) {
  return y.lt(x);
}
inline Tensor operator>=(const Scalar& x, const Tensor& y) {
  return y.le(x);
}
inline Tensor operator==(const Scalar& x, const Tensor& y) {
  return y.eq(x);
}
inline Tensor operator!=(const Scalar& x, const Tensor& y) {
  return y.ne(x);
}

} // namespace at
