// erf, and gelu, which is based on it.

#include <ATen/cpu/vec/vec_erf.h>
#include <ATen/cpu/vec/vec_gelu.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void erf_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "erf_vml_cpu", [&]<typename T>(T) {
    vec_kernel<T(T)>(iter, [](auto x) { return vec::erf(x); });
  });
}

// x Phi(x), computed with the error function or with the approximation x/2 (1 + tanh(sqrt(2/pi) (x
// + 0.044715 x^3))), as in Hendrycks and Gimpel, arXiv:1606.08415.
void gelu_kernel(TensorIteratorBase& iter, bool tanh_approximation) {
#if defined(CPU_CAPABILITY_AVX512)
  if (iter.common_dtype() == kBFloat16 && !tanh_approximation) {
    return vec_kernel<uint16_t(uint16_t)>(iter, [](auto x) { return vec::gelu_bfloat16(x); });
  }
#endif
  for_floating(iter.common_dtype(), "GeluKernelImpl", [&]<typename T>(T) {
    if (tanh_approximation) {
      vec_kernel<T(T)>(iter, [](auto x) {
        using E = vec::element_of<decltype(x)>;
        const auto inner = E(0.7978845608028654) * (x + E(0.044715) * x * x * x);
        return E(0.5) * x * (E(1) + vec::tanh(inner));
      });
    } else {
      vec_kernel<T(T)>(iter, [](auto x) {
        using E = vec::element_of<decltype(x)>;
        return E(0.5) * x * (E(1) + vec::erf(x * E(0.7071067811865476)));
      });
    }
  });
}

} // namespace

REGISTER_DISPATCH(erf_stub, &erf_kernel)
REGISTER_DISPATCH(gelu_stub, &gelu_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
