// silu and mish: x times a function that increases from 0 to 1.

#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>
#include <ATen/native/Activation.h>
#include <ATen/native/cpu/Logistic.h>
#include <ATen/native/cpu/UnaryLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// x s(x), with s the logistic function.
void silu_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "silu_cpu", [](auto x) { return x * logistic(x); },
      [](auto z) { return z / (decltype(z)(1) + std::exp(-z)); });
}

// s' = s (1 - s). Complex slopes are not conjugated, as in PyTorch.
void silu_backward_kernel(TensorIteratorBase& iter) {
  float_binary(
      iter, "silu_backward_cpu",
      [](auto g, auto x) {
        using E = vec::element_of<decltype(x)>;
        const auto s = logistic(x);
        return g * s * (E(1) + x * (E(1) - s));
      },
      [](auto g, auto x) {
        using Z = decltype(x);
        const Z s = Z(1) / (Z(1) + std::exp(-x));
        return g * s * (Z(1) + x * (Z(1) - s));
      });
}

// x tanh(log(1 + e^x)): Misra, arXiv:1908.08681.
void mish_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "mish_cpu", [&]<typename T>(T) {
    vec_kernel<T(T)>(iter, [](auto x) { return x * vec::tanh(vec::log1p(vec::exp(x))); });
  });
}

// The derivative of log(1 + e^x) is the logistic function.
void mish_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "mish_backward_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto g, auto x) {
      using E = vec::element_of<decltype(x)>;
      const auto t = vec::tanh(vec::log1p(vec::exp(x)));
      return g * (t + x * logistic(x) * (E(1) - t * t));
    });
  });
}

} // namespace

REGISTER_DISPATCH(silu_stub, &silu_kernel)
REGISTER_DISPATCH(silu_backward_stub, &silu_backward_kernel)
REGISTER_DISPATCH(mish_stub, &mish_kernel)
REGISTER_DISPATCH(mish_backward_stub, &mish_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
