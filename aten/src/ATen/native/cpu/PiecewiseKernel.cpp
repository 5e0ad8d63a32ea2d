// Piecewise linear activations.

#include <ATen/native/Activation.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/core/Scalar.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T>
vec::lane_type<T> number(const Scalar& value) {
  return static_cast<vec::lane_type<T>>(value.to<double>());
}

void leaky_relu_kernel(TensorIteratorBase& iter, const Scalar& slope) {
  for_floating(iter.common_dtype(), "leaky_relu_cpu", [&]<typename T>(T) {
    const auto s = number<T>(slope);
    vec_kernel<T(T)>(iter, [s](auto x) { return x > decltype(x){} ? x : x * s; });
  });
}

void leaky_relu_backward_kernel(TensorIteratorBase& iter, const Scalar& slope) {
  for_floating(iter.common_dtype(), "leaky_relu_backward_cpu", [&]<typename T>(T) {
    const auto s = number<T>(slope);
    vec_kernel<T(T, T)>(iter, [s](auto x, auto g) { return x > decltype(x){} ? g : g * s; });
  });
}

void hardtanh_backward_kernel(TensorIteratorBase& iter, const Scalar& min, const Scalar& max) {
  for_floating(iter.common_dtype(), "hardtanh_backward_cpu", [&]<typename T>(T) {
    const auto low = number<T>(min), high = number<T>(max);
    vec_kernel<T(T, T)>(iter, [low, high](auto g, auto x) {
      return ((x <= low) | (x >= high)) ? decltype(g){} : g;
    });
  });
}

// A line from 0 at -3 to 6 at 3. A NaN is kept.
template <typename V>
C10_ALWAYS_INLINE V ramp(V x) {
  using E = vec::element_of<V>;
  const V y = x + E(3);
  const V zero{};
  return y < zero ? zero : (y > E(6) ? zero + E(6) : y);
}

void hardsigmoid_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "hardsigmoid_cpu", [&]<typename T>(T) {
    vec_kernel<T(T)>(iter, [](auto x) { return ramp(x) / vec::element_of<decltype(x)>(6); });
  });
}

void hardsigmoid_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "hardsigmoid_backward", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto g, auto x) {
      using E = vec::element_of<decltype(x)>;
      return ((x > E(-3)) & (x < E(3))) ? g * E(1.0 / 6) : decltype(g){};
    });
  });
}

void hardswish_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "hardswish_cpu", [&]<typename T>(T) {
    vec_kernel<T(T)>(iter, [](auto x) { return x * ramp(x) / vec::element_of<decltype(x)>(6); });
  });
}

void hardswish_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "hardswish_backward_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto g, auto x) {
      using E = vec::element_of<decltype(x)>;
      const auto inside = g * (x / E(3) + E(0.5));
      return x <= E(-3) ? decltype(g){} : (x < E(3) ? inside : g);
    });
  });
}

void softshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  for_floating(iter.common_dtype(), "softshrink_cpu", [&]<typename T>(T) {
    const auto bound = number<T>(lambd);
    vec_kernel<T(T)>(iter, [bound](auto x) {
      // Inside the interval, x * 0 keeps the sign and a NaN.
      const auto inside = x * vec::element_of<decltype(x)>(0);
      return x > bound ? x - bound : (x < -bound ? x + bound : inside);
    });
  });
}

} // namespace

REGISTER_DISPATCH(leaky_relu_stub, &leaky_relu_kernel)
REGISTER_DISPATCH(leaky_relu_backward_stub, &leaky_relu_backward_kernel)
REGISTER_DISPATCH(hardtanh_backward_stub, &hardtanh_backward_kernel)
REGISTER_DISPATCH(hardsigmoid_stub, &hardsigmoid_kernel)
REGISTER_DISPATCH(hardsigmoid_backward_stub, &hardsigmoid_backward_kernel)
REGISTER_DISPATCH(hardswish_stub, &hardswish_kernel)
REGISTER_DISPATCH(hardswish_backward_stub, &hardswish_backward_kernel)
REGISTER_DISPATCH(softshrink_stub, &softshrink_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
