// Orthogonal polynomials, in the type of the operands (16-bit floats in float). Recurrences are
// long formulas: several of them in one thread would be spilled.

#include <ATen/native/OrthogonalPolynomials.h>
#include <ATen/native/cuda/LongFormulas.cuh>

#include <ATen/ops/special_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_chebyshev_polynomial_w_native.h>
#include <ATen/ops/special_hermite_polynomial_h_native.h>
#include <ATen/ops/special_hermite_polynomial_he_native.h>
#include <ATen/ops/special_laguerre_polynomial_l_native.h>
#include <ATen/ops/special_legendre_polynomial_p_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w_native.h>

namespace at::native {
namespace {

#define AT_POLYNOMIAL(name, family, function)                  \
  struct name {                                                \
    template <typename T>                                      \
    C10_HOST_DEVICE T operator()(T x, T n) const {             \
      return polynomials::function<polynomials::family>(x, n); \
    }                                                          \
  };
AT_POLYNOMIAL(ChebyshevT, ChebyshevT, polynomial)
AT_POLYNOMIAL(ChebyshevU, ChebyshevU, polynomial)
AT_POLYNOMIAL(ChebyshevV, ChebyshevV, polynomial)
AT_POLYNOMIAL(ChebyshevW, ChebyshevW, polynomial)
AT_POLYNOMIAL(HermiteH, HermiteH, polynomial)
AT_POLYNOMIAL(HermiteHe, HermiteHe, polynomial)
AT_POLYNOMIAL(LaguerreL, LaguerreL, polynomial)
AT_POLYNOMIAL(LegendreP, LegendreP, polynomial)
AT_POLYNOMIAL(ShiftedChebyshevT, ChebyshevT, shifted)
AT_POLYNOMIAL(ShiftedChebyshevU, ChebyshevU, shifted)
AT_POLYNOMIAL(ShiftedChebyshevV, ChebyshevV, shifted)
AT_POLYNOMIAL(ShiftedChebyshevW, ChebyshevW, shifted)
#undef AT_POLYNOMIAL

template <typename Op>
void map(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_long_binary<scalar_t>(iter, op); });
}

} // namespace

#define AT_SPECIAL(op, name)                                                    \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&, const Tensor&) { \
    map(*this, #op "_cuda", name());                                            \
  }
AT_SPECIAL(special_chebyshev_polynomial_t, ChebyshevT)
AT_SPECIAL(special_chebyshev_polynomial_u, ChebyshevU)
AT_SPECIAL(special_chebyshev_polynomial_v, ChebyshevV)
AT_SPECIAL(special_chebyshev_polynomial_w, ChebyshevW)
AT_SPECIAL(special_hermite_polynomial_h, HermiteH)
AT_SPECIAL(special_hermite_polynomial_he, HermiteHe)
AT_SPECIAL(special_laguerre_polynomial_l, LaguerreL)
AT_SPECIAL(special_legendre_polynomial_p, LegendreP)
AT_SPECIAL(special_shifted_chebyshev_polynomial_t, ShiftedChebyshevT)
AT_SPECIAL(special_shifted_chebyshev_polynomial_u, ShiftedChebyshevU)
AT_SPECIAL(special_shifted_chebyshev_polynomial_v, ShiftedChebyshevV)
AT_SPECIAL(special_shifted_chebyshev_polynomial_w, ShiftedChebyshevW)
#undef AT_SPECIAL

} // namespace at::native
