// Gradients that need only the output: sigmoid, tanh and threshold; and threshold itself.

#include <ATen/native/Activation.h>
#include <ATen/native/cpu/UnaryLoops.h>
#include <c10/core/Scalar.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// g y (1 - y)
void sigmoid_backward_kernel(TensorIteratorBase& iter) {
  float_binary(
      iter, "sigmoid_backward_cpu",
      [](auto g, auto y) { return g * (vec::element_of<decltype(y)>(1) - y) * y; },
      [](auto g, auto y) { return g * std::conj((decltype(y)(1) - y) * y); });
}

// g (1 - y^2)
void tanh_backward_kernel(TensorIteratorBase& iter) {
  float_binary(
      iter, "tanh_backward_cpu",
      [](auto g, auto y) {
        using V = decltype(y);
        return g * vec::fma(-y, y, vec::splat<V>(vec::element_of<V>(1)));
      },
      [](auto g, auto y) { return g * std::conj(decltype(y)(1) - y * y); });
}

// The threshold is not rounded to a type of 16 bits, whose numbers are compared as float.
template <typename T>
vec::lane_type<T> compared(const Scalar& threshold) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<vec::lane_type<T>>(threshold.to<T>());
  } else {
    return static_cast<vec::lane_type<T>>(threshold.to<double>());
  }
}

// A NaN counts as above every threshold.
void threshold_kernel(TensorIteratorBase& iter, const Scalar& threshold, const Scalar& value) {
  const auto run = [&]<typename T>(T) {
    using L = vec::lane_type<T>;
    const auto bound = compared<T>(threshold);
    const auto instead = static_cast<L>(value.to<T>());
    vec_kernel<T(T)>(iter, [bound, instead](auto x) {
      return x <= bound ? vec::splat<decltype(x)>(instead) : x;
    });
  };
  const auto dtype = iter.common_dtype();
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "threshold_cpu", run);
  } else {
    for_integer(dtype, "threshold_cpu", run);
  }
}

void threshold_backward_kernel(TensorIteratorBase& iter, const Scalar& threshold) {
  const auto run = [&]<typename T>(T) {
    const auto bound = compared<T>(threshold);
    vec_kernel<T(T, T)>(iter, [bound](auto x, auto g) { return x <= bound ? decltype(g){} : g; });
  };
  const auto dtype = iter.common_dtype();
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "threshold_cpu", run);
  } else {
    for_integer(dtype, "threshold_cpu", run);
  }
}

} // namespace

REGISTER_DISPATCH(sigmoid_backward_stub, &sigmoid_backward_kernel)
REGISTER_DISPATCH(tanh_backward_stub, &tanh_backward_kernel)
REGISTER_DISPATCH(threshold_stub, &threshold_kernel)
REGISTER_DISPATCH(threshold_backward_stub, &threshold_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
