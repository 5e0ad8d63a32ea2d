// log_sigmoid and glu.

#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>
#include <ATen/native/Activation.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <cmath>
#include <tuple>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// min(x, 0) - log(1 + e^-|x|)
void log_sigmoid_kernel(TensorIteratorBase& iter) {
  for_floating(iter.dtype(), "log_sigmoid_cpu", [&]<typename T>(T) {
    cpu_kernel_multiple_outputs(iter, [](T value) -> std::tuple<T, T> {
      const auto x = static_cast<at::opmath_type<T>>(value);
      const auto e = std::exp(-std::abs(x));
      return {static_cast<T>((x < 0 ? x : 0) - std::log1p(e)), static_cast<T>(e)};
    });
  });
}

// 1 - s(x) is e / (1 + e) above 0 and 1 / (1 + e) below.
void log_sigmoid_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "log_sigmoid_backward_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T, T)>(iter, [](auto g, auto x, auto e) {
      using E = vec::element_of<decltype(x)>;
      const auto one = decltype(x){} + E(1);
      return g * (x < decltype(x){} ? one : e) / (one + e);
    });
  });
}

void glu_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "glu_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto a, auto b) { return a * vec::sigmoid(b); });
  });
}

void glu_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.dtype(), "glu_backward_cpu", [&]<typename T>(T) {
    cpu_kernel_multiple_outputs(iter, [](T first, T second, T grad) -> std::tuple<T, T> {
      using O = at::opmath_type<T>;
      const O a = static_cast<O>(first), b = static_cast<O>(second), g = static_cast<O>(grad);
      const O s = O(1) / (O(1) + std::exp(-b));
      return {static_cast<T>(g * s), static_cast<T>(g * a * s * (O(1) - s))};
    });
  });
}

} // namespace

REGISTER_DISPATCH(log_sigmoid_stub, &log_sigmoid_kernel)
REGISTER_DISPATCH(log_sigmoid_backward_stub, &log_sigmoid_backward_kernel)
REGISTER_DISPATCH(glu_stub, &glu_kernel)
REGISTER_DISPATCH(glu_backward_stub, &glu_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
