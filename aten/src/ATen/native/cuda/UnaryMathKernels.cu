// Roots, sine and cosine, sigmoids, and the error function.

#include <ATen/native/ScalarMath.h>
#include <ATen/native/cuda/UnaryFormulas.cuh>

namespace at::native {
namespace {

AT_FORMULA(Sqrt, sqrt(x))
AT_FORMULA(Rsqrt, T(1) / sqrt(x))
AT_FORMULA(Reciprocal, T(1) / x)
AT_FORMULA(Sin, sin(x), template <typename> static constexpr int kResidentBlocks = 1;)
AT_FORMULA(Cos, cos(x), template <typename> static constexpr int kResidentBlocks = 1;)
AT_FORMULA(Tanh, tanh(x))
AT_FORMULA(Sigmoid, T(1) / (T(1) + exp(-x)))
AT_FORMULA(Erf, std::erf(x))
AT_FORMULA(Erfinv, static_cast<T>(scalar_math::erfinv(static_cast<double>(x))))

// x Phi(x), with the error function or the approximation x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715
// x^3))), as in Hendrycks and Gimpel, arXiv:1606.08415.
struct Gelu {
  bool tanh_approximation;
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    if (tanh_approximation) {
      const T inner = T(0.7978845608028654) * (x + T(0.044715) * x * x * x);
      return T(0.5) * x * (T(1) + std::tanh(inner));
    }
    return T(0.5) * x * (T(1) + std::erf(x * T(0.7071067811865476)));
  }
};

AT_COMPLEX_KERNEL(sqrt, Sqrt)
AT_COMPLEX_KERNEL(rsqrt, Rsqrt)
AT_COMPLEX_KERNEL(reciprocal, Reciprocal)
AT_COMPLEX_KERNEL(sin, Sin)
AT_COMPLEX_KERNEL(cos, Cos)
AT_COMPLEX_KERNEL(tanh, Tanh)
AT_COMPLEX_KERNEL(sigmoid, Sigmoid)

template <typename Op>
void floating(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_unary<scalar_t>(iter, op); });
}
void erf_kernel_cuda(TensorIteratorBase& iter) {
  floating(iter, "erf_cuda", Erf());
}
void erfinv_kernel_cuda(TensorIteratorBase& iter) {
  floating(iter, "erfinv_cuda", Erfinv());
}
void gelu_kernel_cuda(TensorIteratorBase& iter, bool tanh_approximation) {
  floating(iter, "GeluCUDAKernelImpl", Gelu{tanh_approximation});
}

} // namespace

REGISTER_CUDA_DISPATCH(sqrt_stub, &sqrt_kernel_cuda)
REGISTER_CUDA_DISPATCH(rsqrt_stub, &rsqrt_kernel_cuda)
REGISTER_CUDA_DISPATCH(reciprocal_stub, &reciprocal_kernel_cuda)
REGISTER_CUDA_DISPATCH(sin_stub, &sin_kernel_cuda)
REGISTER_CUDA_DISPATCH(cos_stub, &cos_kernel_cuda)
REGISTER_CUDA_DISPATCH(tanh_stub, &tanh_kernel_cuda)
REGISTER_CUDA_DISPATCH(sigmoid_stub, &sigmoid_kernel_cuda)
REGISTER_CUDA_DISPATCH(erf_stub, &erf_kernel_cuda)
REGISTER_CUDA_DISPATCH(erfinv_stub, &erfinv_kernel_cuda)
REGISTER_CUDA_DISPATCH(gelu_stub, &gelu_kernel_cuda)

} // namespace at::native
