// Trigonometric and hyperbolic functions and their inverses, logarithms and powers to other bases,
// and erfc.

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/ComplexInverseMath.cuh>
#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/cuda/Functors.cuh>

#include <ATen/ops/acos_native.h>
#include <ATen/ops/acosh_native.h>
#include <ATen/ops/asin_native.h>
#include <ATen/ops/asinh_native.h>
#include <ATen/ops/atan_native.h>
#include <ATen/ops/atanh_native.h>
#include <ATen/ops/cosh_native.h>
#include <ATen/ops/erfc_native.h>
#include <ATen/ops/exp2_native.h>
#include <ATen/ops/log10_native.h>
#include <ATen/ops/log2_native.h>
#include <ATen/ops/sinh_native.h>
#include <ATen/ops/tan_native.h>

#include <type_traits>

namespace at::native {

// kResidentBlocks of Loops.cuh, for operands of one dtype.
#define AT_ONE_BLOCK_FOR(type) \
  template <typename T>        \
  static constexpr int kResidentBlocks = std::is_same_v<T, type>;

// Further arguments are members.
#define AT_FUNCTION_OF_ONE(name, ...)                              \
  namespace {                                                      \
  struct Op_##name {                                               \
    __VA_ARGS__                                                    \
    template <typename T>                                          \
    C10_HOST_DEVICE T operator()(T x) const {                      \
      using namespace device_math;                                 \
      return name(x);                                              \
    }                                                              \
  };                                                               \
  }                                                                \
  TORCH_IMPL_FUNC(name##_out_cuda)(const Tensor&, const Tensor&) { \
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(                   \
        kHalf, kBFloat16, common_dtype(), #name "_cuda",           \
        [&] { gpu_unary<scalar_t>(*this, Op_##name()); });         \
  }

namespace {
// The quotient keeps fewer values at once than tanf does, which would spill registers, at the same
// 4 ulp.
struct Tan {
  AT_ONE_BLOCK_FOR(Half)
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    using namespace device_math;
    if constexpr (std::is_same_v<T, float>) {
      return std::sin(x) / std::cos(x);
    } else {
      return tan(x);
    }
  }
};
} // namespace

TORCH_IMPL_FUNC(tan_out_cuda)(const Tensor&, const Tensor&) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, common_dtype(), "tan_cuda", [&] { gpu_unary<scalar_t>(*this, Tan()); });
}

AT_FUNCTION_OF_ONE(acos)
AT_FUNCTION_OF_ONE(asin)
AT_FUNCTION_OF_ONE(atan, AT_ONE_BLOCK_FOR(double))
AT_FUNCTION_OF_ONE(cosh)
AT_FUNCTION_OF_ONE(sinh)
AT_FUNCTION_OF_ONE(acosh)
AT_FUNCTION_OF_ONE(asinh)
AT_FUNCTION_OF_ONE(atanh)
AT_FUNCTION_OF_ONE(log2)
AT_FUNCTION_OF_ONE(log10)
AT_FUNCTION_OF_ONE(exp2)
#undef AT_FUNCTION_OF_ONE
#undef AT_ONE_BLOCK_FOR

namespace {
struct Erfc {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return std::erfc(x);
  }
};
} // namespace

TORCH_IMPL_FUNC(erfc_out_cuda)(const Tensor&, const Tensor&) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, common_dtype(), "erfc_cuda", [&] { gpu_unary<scalar_t>(*this, Erfc()); });
}

} // namespace at::native
