// lerp with a number or a tensor of weights.

#include <ATen/native/TernaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/core/Scalar.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Starts from the nearer end, so that a weight of 1 gives exactly `end`.
template <typename V>
C10_ALWAYS_INLINE V lerp(V self, V end, V weight) {
  using E = vec::element_of<V>;
  const V difference = end - self;
  return vec::abs(weight) < E(0.5) ? vec::fma(weight, difference, self)
                                   : vec::fma(-difference, E(1) - weight, end);
}

template <typename T>
C10_ALWAYS_INLINE c10::complex<T> lerp(
    c10::complex<T> self, c10::complex<T> end, c10::complex<T> weight) {
  const bool near = weight.real() * weight.real() + weight.imag() * weight.imag() < T(0.25);
  const auto difference = end - self;
  return near ? self + weight * difference : end - difference * (c10::complex<T>(1) - weight);
}

void lerp_tensor_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (dtype == kComplexFloat) {
    using Z = c10::complex<float>;
    return cpu_kernel(iter, [](Z self, Z end, Z weight) -> Z { return lerp(self, end, weight); });
  }
  if (dtype == kComplexDouble) {
    using Z = c10::complex<double>;
    return cpu_kernel(iter, [](Z self, Z end, Z weight) -> Z { return lerp(self, end, weight); });
  }
  for_floating(dtype, "lerp_kernel_tensor", [&]<typename T>(T) {
    vec_kernel<T(T, T, T)>(
        iter, [](auto self, auto end, auto weight) { return lerp(self, end, weight); });
  });
}

void lerp_scalar_kernel(TensorIteratorBase& iter, const Scalar& weight) {
  const auto dtype = iter.common_dtype();
  if (dtype == kComplexFloat) {
    using Z = c10::complex<float>;
    const Z w(weight.to<c10::complex<double>>());
    return cpu_kernel(iter, [w](Z self, Z end) -> Z { return lerp(self, end, w); });
  }
  if (dtype == kComplexDouble) {
    using Z = c10::complex<double>;
    const Z w(weight.to<c10::complex<double>>());
    return cpu_kernel(iter, [w](Z self, Z end) -> Z { return lerp(self, end, w); });
  }
  for_floating(dtype, "lerp_kernel_scalar", [&]<typename T>(T) {
    const auto w = static_cast<vec::lane_type<T>>(weight.to<double>());
    vec_kernel<T(T, T)>(
        iter, [w](auto self, auto end) { return lerp(self, end, vec::splat<decltype(self)>(w)); });
  });
}

} // namespace

REGISTER_DISPATCH(lerp_tensor_stub, &lerp_tensor_kernel)
REGISTER_DISPATCH(lerp_scalar_stub, &lerp_scalar_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
