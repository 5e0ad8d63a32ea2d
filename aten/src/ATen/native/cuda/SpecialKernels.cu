// Bessel functions, sinc and entropies, in the type of the operands (16-bit floats in float).

#include <ATen/native/BesselSeries.h>
#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/cuda/Functors.cuh>

#include <ATen/ops/i0_native.h>
#include <ATen/ops/sinc_native.h>
#include <ATen/ops/special_entr_native.h>
#include <ATen/ops/special_i0e_native.h>
#include <ATen/ops/special_i1_native.h>
#include <ATen/ops/special_i1e_native.h>
#include <ATen/ops/special_xlog1py_native.h>

#include <cmath>
#include <limits>

namespace at::native {
namespace {

#define AT_BESSEL(Name, function)             \
  struct Name {                               \
    template <typename T>                     \
    C10_HOST_DEVICE T operator()(T x) const { \
      return bessel::function(x);             \
    }                                         \
  };
AT_BESSEL(I0, i0)
AT_BESSEL(I0e, i0e)
AT_BESSEL(I1, i1)
AT_BESSEL(I1e, i1e)
#undef AT_BESSEL

// -x log(x), and 0 at 0
struct Entr {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    if (x > T(0)) {
      return -x * std::log(x);
    }
    return x == T(0) ? T(0) : x < T(0) ? -std::numeric_limits<T>::infinity() : x;
  }
};
// sin(pi x) / (pi x)
struct Sinc {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    const T angle = x * T(3.141592653589793);
    return x == T(0) ? T(1) : device_math::sin(angle) / angle;
  }
};
// x log(1 + y), and 0 where x is 0, unless y is NaN
struct XLog1py {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x, T y) const {
    return x == T(0) && y == y ? T(0) : x * std::log1p(y);
  }
};

template <typename Op>
void floating(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_unary<scalar_t>(iter, op); });
}

} // namespace

#define AT_SPECIAL(op, Op)                                       \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&) { \
    floating(*this, #op "_cuda", Op());                          \
  }
AT_SPECIAL(i0, I0)
AT_SPECIAL(special_i0e, I0e)
AT_SPECIAL(special_i1, I1)
AT_SPECIAL(special_i1e, I1e)
AT_SPECIAL(special_entr, Entr)
#undef AT_SPECIAL

TORCH_IMPL_FUNC(sinc_out_cuda)(const Tensor&, const Tensor&) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, common_dtype(), "sinc_cuda", [&] { gpu_unary<scalar_t>(*this, Sinc()); });
}

TORCH_IMPL_FUNC(special_xlog1py_out_cuda)(const Tensor&, const Tensor&, const Tensor&) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, common_dtype(), "xlog1py_cuda", [&] {
    gpu_binary<scalar_t>(*this, XLog1py());
  });
}

} // namespace at::native
