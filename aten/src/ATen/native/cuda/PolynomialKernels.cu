// The polynomials of Hermite, Laguerre and Legendre.

#include <ATen/native/cuda/Polynomials.cuh>

#include <ATen/ops/special_hermite_polynomial_h_native.h>
#include <ATen/ops/special_hermite_polynomial_he_native.h>
#include <ATen/ops/special_laguerre_polynomial_l_native.h>
#include <ATen/ops/special_legendre_polynomial_p_native.h>

namespace at::native {

AT_POLYNOMIAL(special_hermite_polynomial_h, HermiteH, polynomial)
AT_POLYNOMIAL(special_hermite_polynomial_he, HermiteHe, polynomial)
AT_POLYNOMIAL(special_laguerre_polynomial_l, LaguerreL, polynomial)
AT_POLYNOMIAL(special_legendre_polynomial_p, LegendreP, polynomial)

} // namespace at::native
