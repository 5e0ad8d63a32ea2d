// hardshrink and prelu: piecewise linear activations.

#include <ATen/native/Activation.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/core/Scalar.h>

#include <tuple>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void hardshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  for_floating(iter.common_dtype(), "hardshrink_cpu", [&]<typename T>(T) {
    const auto bound = static_cast<vec::lane_type<T>>(lambd.to<T>());
    vec_kernel<T(T)>(
        iter, [bound](auto x) { return ((x >= -bound) & (x <= bound)) ? decltype(x){} : x; });
  });
}

// For both hardshrink and softshrink: the gradient is zero inside [-lambd, lambd].
void shrink_backward_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  for_floating(iter.common_dtype(), "shrink_backward_cpu", [&]<typename T>(T) {
    const auto bound = static_cast<vec::lane_type<T>>(lambd.to<double>());
    vec_kernel<T(T, T)>(iter, [bound](auto g, auto x) {
      return ((x >= -bound) & (x <= bound)) ? decltype(g){} : g;
    });
  });
}

void prelu_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "prelu_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto x, auto w) { return x > decltype(x){} ? x : w * x; });
  });
}

void prelu_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "prelu_backward_cpu", [&]<typename T>(T) {
    cpu_kernel_multiple_outputs(iter, [](T x, T w, T g) -> std::tuple<T, T> {
      return x > T(0) ? std::tuple<T, T>(g, T(0)) : std::tuple<T, T>(w * g, x * g);
    });
  });
}

} // namespace

REGISTER_DISPATCH(hardshrink_stub, &hardshrink_kernel)
REGISTER_DISPATCH(shrink_backward_stub, &shrink_backward_kernel)
REGISTER_DISPATCH(prelu_stub, &prelu_kernel)
REGISTER_DISPATCH(prelu_backward_stub, &prelu_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
