// The functions of BesselFormulas.h, in double as on the CPU, and I0 and I1, in the type of the
// operand.

#include <ATen/native/BesselFormulas.h>
#include <ATen/native/cuda/LongFormulas.cuh>

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

#include <type_traits>

namespace at::native {
namespace {

#define AT_BESSEL(Name, ...)                                              \
  struct Name {                                                           \
    template <typename T>                                                 \
    C10_HOST_DEVICE T operator()(T x) const {                             \
      using Math = bessel::ScalarMath<!std::is_same_v<T, double>>;        \
      return static_cast<T>(bessel::__VA_ARGS__(static_cast<double>(x))); \
    }                                                                     \
  };
AT_BESSEL(Airy, airy<Math>)
AT_BESSEL(J0, j0<Math>)
AT_BESSEL(J1, j1<Math>)
AT_BESSEL(Y0, y0<Math>)
AT_BESSEL(Y1, y1<Math>)
AT_BESSEL(K0, k<Math, 0>)
AT_BESSEL(K1, k<Math, 1>)
AT_BESSEL(ScaledK0, scaled_k<Math, 0>)
AT_BESSEL(ScaledK1, scaled_k<Math, 1>)
AT_BESSEL(SphericalJ0, spherical_j0<Math>)
#undef AT_BESSEL

#define AT_BESSEL(Name, function)             \
  struct Name {                               \
    template <typename T>                     \
    C10_HOST_DEVICE T operator()(T x) const { \
      return bessel::function(x);             \
    }                                         \
  };
AT_BESSEL(I0, i0)
AT_BESSEL(I1, i1)
#undef AT_BESSEL

template <typename Op>
void unary(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_unary<scalar_t>(iter, op); });
}

// For the formulas in double: several of them in one thread would be spilled.
template <typename Op>
void long_unary(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_long_unary<scalar_t>(iter, op); });
}

} // namespace

#define AT_SPECIAL(op, Op, run)                                  \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&) { \
    run(*this, #op "_cuda", Op());                               \
  }
AT_SPECIAL(special_airy_ai, Airy, long_unary)
AT_SPECIAL(special_bessel_j0, J0, long_unary)
AT_SPECIAL(special_bessel_j1, J1, long_unary)
AT_SPECIAL(special_bessel_y0, Y0, long_unary)
AT_SPECIAL(special_bessel_y1, Y1, long_unary)
AT_SPECIAL(special_modified_bessel_k0, K0, long_unary)
AT_SPECIAL(special_modified_bessel_k1, K1, long_unary)
AT_SPECIAL(special_scaled_modified_bessel_k0, ScaledK0, long_unary)
AT_SPECIAL(special_scaled_modified_bessel_k1, ScaledK1, long_unary)
AT_SPECIAL(special_spherical_bessel_j0, SphericalJ0, long_unary)
AT_SPECIAL(special_modified_bessel_i0, I0, unary)
AT_SPECIAL(special_modified_bessel_i1, I1, unary)
#undef AT_SPECIAL

} // namespace at::native
