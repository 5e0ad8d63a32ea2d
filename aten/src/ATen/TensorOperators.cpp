#include <ATen/TensorOperators.h>

#include <ATen/ops/add.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/sub.h>

namespace at {

#define AT_DEFINE_SIGN_(sign, op)                          \
  Tensor operator sign(const Tensor& x, const Tensor& y) { \
    return at::op(x, y);                                   \
  }                                                        \
  Tensor operator sign(const Tensor& x, const Scalar& y) { \
    return at::op(x, y);                                   \
  }
AT_DEFINE_SIGN_(+, add)
AT_DEFINE_SIGN_(-, sub)
AT_DEFINE_SIGN_(*, mul)
AT_DEFINE_SIGN_(/, div)
AT_DEFINE_SIGN_(%, remainder)
AT_DEFINE_SIGN_(&, bitwise_and)
AT_DEFINE_SIGN_(|, bitwise_or)
AT_DEFINE_SIGN_(^, bitwise_xor)
AT_DEFINE_SIGN_(<, lt)
AT_DEFINE_SIGN_(<=, le)
AT_DEFINE_SIGN_(>, gt)
AT_DEFINE_SIGN_(>=, ge)
AT_DEFINE_SIGN_(==, eq)
AT_DEFINE_SIGN_(!=, ne)
#undef AT_DEFINE_SIGN_

// With the number on the left: uses commutativity or the operator with swapped operands.
Tensor operator+(const Scalar& x, const Tensor& y) {
  return at::add(y, x);
}
Tensor operator*(const Scalar& x, const Tensor& y) {
  return at::mul(y, x);
}
Tensor operator-(const Scalar& x, const Tensor& y) {
  return at::add(at::neg(y), x);
}
Tensor operator/(const Scalar& x, const Tensor& y) {
  return at::mul(at::reciprocal(y), x);
}
Tensor operator<(const Scalar& x, const Tensor& y) {
  return at::gt(y, x);
}
Tensor operator<=(const Scalar& x, const Tensor& y) {
  return at::ge(y, x);
}
Tensor operator>(const Scalar& x, const Tensor& y) {
  return at::lt(y, x);
}
Tensor operator>=(const Scalar& x, const Tensor& y) {
  return at::le(y, x);
}
Tensor operator==(const Scalar& x, const Tensor& y) {
  return at::eq(y, x);
}
Tensor operator!=(const Scalar& x, const Tensor& y) {
  return at::ne(y, x);
}

} // namespace at
