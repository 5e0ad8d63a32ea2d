#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

// Arithmetic and comparison operators for tensors: Tensor with Tensor, Tensor with number, number
// with Tensor. The in-place operators are members of Tensor.

namespace at {

#define AT_DECLARE_SIGN_(sign)                                      \
  TORCH_API Tensor operator sign(const Tensor& x, const Tensor& y); \
  TORCH_API Tensor operator sign(const Tensor& x, const Scalar& y);
AT_DECLARE_SIGN_(+)
AT_DECLARE_SIGN_(-)
AT_DECLARE_SIGN_(*)
AT_DECLARE_SIGN_(/)
AT_DECLARE_SIGN_(%)
AT_DECLARE_SIGN_(&)
AT_DECLARE_SIGN_(|)
AT_DECLARE_SIGN_(^)
AT_DECLARE_SIGN_(<)
AT_DECLARE_SIGN_(<=)
AT_DECLARE_SIGN_(>)
AT_DECLARE_SIGN_(>=)
AT_DECLARE_SIGN_(==)
AT_DECLARE_SIGN_(!=)
#undef AT_DECLARE_SIGN_

TORCH_API Tensor operator+(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator*(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator-(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator/(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator<(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator<=(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator>(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator>=(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator==(const Scalar& x, const Tensor& y);
TORCH_API Tensor operator!=(const Scalar& x, const Tensor& y);

} // namespace at
