#include <ATen/cpu/vec/vec_erf.h>
#include <ATen/native/Activation.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// d/dx x P(x) = P + x P'. With the error function, P' is the normal density.
template <typename V>
C10_ALWAYS_INLINE V gelu_slope(V x) {
  using E = vec::element_of<V>;
  const V cdf = E(0.5) * (E(1) + vec::erf(x * E(0.7071067811865476)));
  return cdf + x * E(0.3989422804014327) * vec::exp(x * x * E(-0.5));
}

// P = (1 + tanh u) / 2 with u = c (x + k x^3).
template <typename V>
C10_ALWAYS_INLINE V gelu_tanh_slope(V x) {
  using E = vec::element_of<V>;
  constexpr E c = E(0.7978845608028654), k = E(0.044715);
  const V square = x * x;
  const V t = vec::tanh(c * x * (E(1) + k * square));
  const V u = c * (E(1) + E(3) * k * square);
  return E(0.5) * (E(1) + t + x * (E(1) - t * t) * u);
}

void gelu_backward_kernel(TensorIteratorBase& iter, bool tanh_approximation) {
  for_floating(iter.common_dtype(), "GeluBackwardKernelImpl", [&]<typename T>(T) {
    if (tanh_approximation) {
      vec_kernel<T(T, T)>(iter, [](auto g, auto x) { return g * gelu_tanh_slope(x); });
    } else {
      vec_kernel<T(T, T)>(iter, [](auto g, auto x) { return g * gelu_slope(x); });
    }
  });
}

} // namespace

REGISTER_DISPATCH(gelu_backward_stub, &gelu_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
