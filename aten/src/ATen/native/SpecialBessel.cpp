// The operators of BesselFormulas.h.

#include <ATen/TensorIterator.h>

#include <ATen/native/ElementaryMath.h>
#include <ATen/ops/special_airy_ai_native.h>
#include <ATen/ops/special_bessel_j0_native.h>
#include <ATen/ops/special_bessel_j1_native.h>
#include <ATen/ops/special_bessel_y0_native.h>
#include <ATen/ops/special_bessel_y1_native.h>
#include <ATen/ops/special_modified_bessel_i0_native.h>
#include <ATen/ops/special_modified_bessel_i1_native.h>
#include <ATen/ops/special_modified_bessel_k0_native.h>
#include <ATen/ops/special_modified_bessel_k1_native.h>
#include <ATen/ops/special_scaled_modified_bessel_k0_native.h>
#include <ATen/ops/special_scaled_modified_bessel_k1_native.h>
#include <ATen/ops/special_spherical_bessel_j0_native.h>

namespace at::meta {

#define AT_FLOAT_META(op)                                  \
  TORCH_META_FUNC(op)(const Tensor& x) {                   \
    build_borrowing_unary_float_op(maybe_get_output(), x); \
  }
AT_FLOAT_META(special_airy_ai)
AT_FLOAT_META(special_bessel_j0)
AT_FLOAT_META(special_bessel_j1)
AT_FLOAT_META(special_bessel_y0)
AT_FLOAT_META(special_bessel_y1)
AT_FLOAT_META(special_modified_bessel_i0)
AT_FLOAT_META(special_modified_bessel_i1)
AT_FLOAT_META(special_modified_bessel_k0)
AT_FLOAT_META(special_modified_bessel_k1)
AT_FLOAT_META(special_scaled_modified_bessel_k0)
AT_FLOAT_META(special_scaled_modified_bessel_k1)
AT_FLOAT_META(special_spherical_bessel_j0)
#undef AT_FLOAT_META

} // namespace at::meta

namespace at::native {

// Kernels are called by the operator's name without "special_".
constexpr size_t kModulePrefix = sizeof("special_") - 1;

#define AT_VECTOR(op, function)                                                \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&) {                    \
    map_elementary(*this, Elementary::function, &(#op "_cpu")[kModulePrefix]); \
  }
AT_VECTOR(special_airy_ai, AiryAi)
AT_VECTOR(special_bessel_j0, BesselJ0)
AT_VECTOR(special_bessel_j1, BesselJ1)
AT_VECTOR(special_bessel_y0, BesselY0)
AT_VECTOR(special_bessel_y1, BesselY1)
AT_VECTOR(special_modified_bessel_i0, I0)
AT_VECTOR(special_modified_bessel_i1, I1)
AT_VECTOR(special_modified_bessel_k0, BesselK0)
AT_VECTOR(special_modified_bessel_k1, BesselK1)
AT_VECTOR(special_scaled_modified_bessel_k0, ScaledBesselK0)
AT_VECTOR(special_scaled_modified_bessel_k1, ScaledBesselK1)
AT_VECTOR(special_spherical_bessel_j0, SphericalBesselJ0)
#undef AT_VECTOR

} // namespace at::native
