// Chebyshev's polynomials of the four kinds.

#include <ATen/native/cuda/Polynomials.cuh>

#include <ATen/ops/special_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_chebyshev_polynomial_w_native.h>

namespace at::native {

AT_POLYNOMIAL(special_chebyshev_polynomial_t, ChebyshevT, polynomial)
AT_POLYNOMIAL(special_chebyshev_polynomial_u, ChebyshevU, polynomial)
AT_POLYNOMIAL(special_chebyshev_polynomial_v, ChebyshevV, polynomial)
AT_POLYNOMIAL(special_chebyshev_polynomial_w, ChebyshevW, polynomial)

} // namespace at::native
