// The operators of OrthogonalPolynomials.h.

#include <ATen/TensorIterator.h>

#include <ATen/native/ElementaryMath.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/special_chebyshev_polynomial_t.h>
#include <ATen/ops/special_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_chebyshev_polynomial_u.h>
#include <ATen/ops/special_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_chebyshev_polynomial_v.h>
#include <ATen/ops/special_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_chebyshev_polynomial_w.h>
#include <ATen/ops/special_chebyshev_polynomial_w_native.h>
#include <ATen/ops/special_hermite_polynomial_h.h>
#include <ATen/ops/special_hermite_polynomial_h_native.h>
#include <ATen/ops/special_hermite_polynomial_he.h>
#include <ATen/ops/special_hermite_polynomial_he_native.h>
#include <ATen/ops/special_laguerre_polynomial_l.h>
#include <ATen/ops/special_laguerre_polynomial_l_native.h>
#include <ATen/ops/special_legendre_polynomial_p.h>
#include <ATen/ops/special_legendre_polynomial_p_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_t.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w_native.h>

namespace at::meta {

#define AT_BINARY_META(op)                                     \
  TORCH_META_FUNC(op)(const Tensor& x, const Tensor& n) {      \
    build_borrowing_binary_float_op(maybe_get_output(), x, n); \
  }
AT_BINARY_META(special_chebyshev_polynomial_t)
AT_BINARY_META(special_chebyshev_polynomial_u)
AT_BINARY_META(special_chebyshev_polynomial_v)
AT_BINARY_META(special_chebyshev_polynomial_w)
AT_BINARY_META(special_hermite_polynomial_h)
AT_BINARY_META(special_hermite_polynomial_he)
AT_BINARY_META(special_laguerre_polynomial_l)
AT_BINARY_META(special_legendre_polynomial_p)
AT_BINARY_META(special_shifted_chebyshev_polynomial_t)
AT_BINARY_META(special_shifted_chebyshev_polynomial_u)
AT_BINARY_META(special_shifted_chebyshev_polynomial_v)
AT_BINARY_META(special_shifted_chebyshev_polynomial_w)
#undef AT_BINARY_META

} // namespace at::meta

namespace at::native {
namespace {

Tensor wrapped_number(const Scalar& number) {
  Tensor result = at::scalar_tensor(number, TensorOptions().dtype(number.type()));
  result.unsafeGetTensorImpl()->set_wrapped_number(true);
  return result;
}

} // namespace

// Kernels are called by the operator's name without "special_".
constexpr size_t kModulePrefix = sizeof("special_") - 1;

#define AT_POLYNOMIAL(op, name)                                            \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&, const Tensor&) { \
    map_elementary(*this, Elementary::name, &(#op "_cpu")[kModulePrefix]); \
  }                                                                        \
  Tensor op(const Scalar& x, const Tensor& n) {                            \
    return at::op(wrapped_number(x), n);                                   \
  }                                                                        \
  Tensor op(const Tensor& x, const Scalar& n) {                            \
    return at::op(x, wrapped_number(n));                                   \
  }                                                                        \
  Tensor& op##_out(const Scalar& x, const Tensor& n, Tensor& out) {        \
    return at::op##_out(out, wrapped_number(x), n);                        \
  }                                                                        \
  Tensor& op##_out(const Tensor& x, const Scalar& n, Tensor& out) {        \
    return at::op##_out(out, x, wrapped_number(n));                        \
  }
AT_POLYNOMIAL(special_chebyshev_polynomial_t, ChebyshevT)
AT_POLYNOMIAL(special_chebyshev_polynomial_u, ChebyshevU)
AT_POLYNOMIAL(special_chebyshev_polynomial_v, ChebyshevV)
AT_POLYNOMIAL(special_chebyshev_polynomial_w, ChebyshevW)
AT_POLYNOMIAL(special_hermite_polynomial_h, HermiteH)
AT_POLYNOMIAL(special_hermite_polynomial_he, HermiteHe)
AT_POLYNOMIAL(special_laguerre_polynomial_l, LaguerreL)
AT_POLYNOMIAL(special_legendre_polynomial_p, LegendreP)
AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_t, ShiftedChebyshevT)
AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_u, ShiftedChebyshevU)
AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_v, ShiftedChebyshevV)
AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_w, ShiftedChebyshevW)
#undef AT_POLYNOMIAL

} // namespace at::native
