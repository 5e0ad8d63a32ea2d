// Chebyshev's polynomials of the four kinds, shifted to the interval from 0 to 1.

#include <ATen/native/cuda/Polynomials.cuh>

#include <ATen/ops/special_shifted_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w_native.h>

namespace at::native {

AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_t, ChebyshevT, shifted)
AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_u, ChebyshevU, shifted)
AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_v, ChebyshevV, shifted)
AT_POLYNOMIAL(special_shifted_chebyshev_polynomial_w, ChebyshevW, shifted)

} // namespace at::native
