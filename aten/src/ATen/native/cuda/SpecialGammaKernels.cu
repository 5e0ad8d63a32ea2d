// The gamma function, its relatives and the normal distribution, in double as on the CPU.

#include <ATen/native/SpecialFormulas.h>
#include <ATen/native/cuda/LongFormulas.cuh>

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

#define AT_RUN(name, gpu)                                                                 \
  template <typename Op>                                                                  \
  void name(TensorIteratorBase& iter, const char* kernel, const Op& op) {                 \
    AT_DISPATCH_FLOATING_TYPES_AND2(                                                      \
        kHalf, kBFloat16, iter.common_dtype(), kernel, [&] { gpu<scalar_t>(iter, op); }); \
  }
AT_RUN(unary, gpu_unary)
AT_RUN(long_unary, gpu_long_unary)
AT_RUN(long_binary, gpu_long_binary)
#undef AT_RUN

} // namespace

#define AT_SPECIAL(op, Op, run)                                  \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&) { \
    run(*this, #op "_cuda", Op());                               \
  }
AT_SPECIAL(lgamma, Lgamma, unary)
AT_SPECIAL(digamma, Digamma, unary)
AT_SPECIAL(special_ndtri, Ndtri, long_unary)
AT_SPECIAL(special_log_ndtr, LogNdtr, long_unary)
AT_SPECIAL(special_erfcx, Erfcx, long_unary)
#undef AT_SPECIAL

TORCH_IMPL_FUNC(polygamma_out_cuda)(int64_t n, const Tensor&, const Tensor&) {
  long_unary(*this, "polygamma_cuda", Polygamma{n});
}

#define AT_SPECIAL(op, Op, run)                                                 \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&, const Tensor&) { \
    run(*this, #op "_cuda", Op());                                              \
  }
AT_SPECIAL(igamma, GammaInc, long_binary)
AT_SPECIAL(igammac, GammaIncC, long_binary)
AT_SPECIAL(special_zeta, Zeta, long_binary)
#undef AT_SPECIAL

} // namespace at::native
