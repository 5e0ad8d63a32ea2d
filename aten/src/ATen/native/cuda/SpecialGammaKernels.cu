// The gamma function, its relatives and the normal distribution, in double as on the CPU.

#include <ATen/native/SpecialFormulas.h>
#include <ATen/native/cuda/Functors.cuh>

#include <ATen/ops/digamma_native.h>
#include <ATen/ops/igamma_native.h>
#include <ATen/ops/igammac_native.h>
#include <ATen/ops/lgamma_native.h>
#include <ATen/ops/polygamma_native.h>
#include <ATen/ops/special_erfcx_native.h>
#include <ATen/ops/special_log_ndtr_native.h>
#include <ATen/ops/special_ndtri_native.h>
#include <ATen/ops/special_zeta_native.h>

namespace at::native {
namespace {

namespace formulas = special_formulas;

// Where series of floats may end.
template <typename T>
constexpr double kTolerance = std::is_same_v<T, double> ? 1e-17 : 1e-10;

#define AT_FORMULA(Name, formula)                  \
  struct Name {                                    \
    template <typename T>                          \
    C10_HOST_DEVICE T operator()(T number) const { \
      const auto x = static_cast<double>(number);  \
      return static_cast<T>(formula);              \
    }                                              \
  };
AT_FORMULA(Lgamma, formulas::lgamma(x))
AT_FORMULA(Digamma, formulas::digamma(x))
AT_FORMULA(Ndtri, formulas::ndtri(x))
AT_FORMULA(LogNdtr, formulas::log_ndtr(x))
AT_FORMULA(Erfcx, formulas::erfcx(x))
#undef AT_FORMULA

struct Polygamma {
  int64_t n;
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>(formulas::polygamma(n, static_cast<double>(x)));
  }
};

#define AT_FORMULA(Name, formula)                           \
  struct Name {                                             \
    template <typename T>                                   \
    C10_HOST_DEVICE T operator()(T first, T second) const { \
      const auto a = static_cast<double>(first);            \
      const auto x = static_cast<double>(second);           \
      return static_cast<T>(formula);                       \
    }                                                       \
  };
AT_FORMULA(GammaInc, formulas::gammainc(formulas::ComputedNodes(), a, x, kTolerance<T>))
AT_FORMULA(GammaIncC, formulas::gammaincc(formulas::ComputedNodes(), a, x, kTolerance<T>))
AT_FORMULA(Zeta, formulas::zeta(a, x))
#undef AT_FORMULA

template <typename Op>
void unary(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_unary<scalar_t>(iter, op); });
}
template <typename Op>
void binary(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_binary<scalar_t>(iter, op); });
}

} // namespace

#define AT_SPECIAL(op, Op)                                       \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&) { \
    unary(*this, #op "_cuda", Op());                             \
  }
AT_SPECIAL(lgamma, Lgamma)
AT_SPECIAL(digamma, Digamma)
AT_SPECIAL(special_ndtri, Ndtri)
AT_SPECIAL(special_log_ndtr, LogNdtr)
AT_SPECIAL(special_erfcx, Erfcx)
#undef AT_SPECIAL

TORCH_IMPL_FUNC(polygamma_out_cuda)(int64_t n, const Tensor&, const Tensor&) {
  unary(*this, "polygamma_cuda", Polygamma{n});
}

#define AT_SPECIAL(op, Op)                                                      \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&, const Tensor&) { \
    binary(*this, #op "_cuda", Op());                                           \
  }
AT_SPECIAL(igamma, GammaInc)
AT_SPECIAL(igammac, GammaIncC)
AT_SPECIAL(special_zeta, Zeta)
#undef AT_SPECIAL

} // namespace at::native
