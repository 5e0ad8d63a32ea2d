// elu and softplus.

#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>
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

// scale x above 0, scale alpha (e^(input_scale x) - 1) below.
void elu_kernel(
    TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  for_floating(iter.common_dtype(), "elu_cpu", [&]<typename T>(T) {
    const auto above = number<T>(scale), in = number<T>(input_scale);
    const auto below = number<T>(alpha) * above;
    vec_kernel<T(T)>(iter, [above, below, in](auto x) {
      return x < decltype(x){} ? vec::expm1(x * in) * below : x * above;
    });
  });
}

// e^(input_scale x) scale alpha is the result plus scale alpha.
void elu_backward_kernel(
    TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale,
    bool is_result) {
  for_floating(iter.common_dtype(), "elu_backward_cpu", [&]<typename T>(T) {
    const auto above = number<T>(scale), in = number<T>(input_scale);
    const auto below = number<T>(alpha) * above;
    if (is_result) {
      vec_kernel<T(T, T)>(iter, [above, below, in](auto g, auto y) {
        return y <= decltype(y){} ? g * in * (y + below) : g * above;
      });
    } else {
      vec_kernel<T(T, T)>(iter, [above, below, in](auto g, auto x) {
        return x <= decltype(x){} ? g * in * below * vec::exp(x * in) : g * above;
      });
    }
  });
}

// log(1 + e^(beta x)) / beta; x itself where the difference is negligible.
void softplus_kernel(TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  for_floating(iter.common_dtype(), "softplus_cpu", [&]<typename T>(T) {
    const auto b = number<T>(beta), bound = number<T>(threshold);
    vec_kernel<T(T)>(
        iter, [b, bound](auto x) { return x * b > bound ? x : vec::log1p(vec::exp(x * b)) / b; });
  });
}

void softplus_backward_kernel(
    TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  for_floating(iter.common_dtype(), "softplus_backward_cpu", [&]<typename T>(T) {
    const auto b = number<T>(beta), bound = number<T>(threshold);
    vec_kernel<T(T, T)>(
        iter, [b, bound](auto g, auto x) { return x * b > bound ? g : g * vec::sigmoid(x * b); });
  });
}

} // namespace

REGISTER_DISPATCH(elu_stub, &elu_kernel)
REGISTER_DISPATCH(elu_backward_stub, &elu_backward_kernel)
REGISTER_DISPATCH(softplus_stub, &softplus_kernel)
REGISTER_DISPATCH(softplus_backward_stub, &softplus_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
