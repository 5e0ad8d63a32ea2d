// Activations that use the exponential function, and their gradients.

#include <ATen/native/Activation.h>
#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/cuda/Functors.cuh>

#include <cmath>

namespace at::native {
namespace {

// From exp(-|x|), which does not overflow.
template <typename T>
C10_HOST_DEVICE T logistic(T x) {
  if constexpr (c10::is_complex<T>::value) {
    return T(1) / (T(1) + device_math::exp(-x));
  } else {
    const T e = std::exp(-std::abs(x));
    return (x < T(0) ? e : T(1)) / (T(1) + e);
  }
}

// g y (1 - y)
struct SigmoidBackward {
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T y) const {
    return g * device_math::conjugate((T(1) - y) * y);
  }
};
// g (1 - y^2)
struct TanhBackward {
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T y) const {
    return g * device_math::conjugate(T(1) - y * y);
  }
};

struct Silu {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return x * logistic(x);
  }
};
// s' = s (1 - s). Complex slopes are not conjugated, as in PyTorch.
struct SiluBackward {
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T x) const {
    const T s = logistic(x);
    return g * s * (T(1) + x * (T(1) - s));
  }
};

// x tanh(log(1 + e^x)): Misra, arXiv:1908.08681.
struct Mish {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return x * std::tanh(std::log1p(std::exp(x)));
  }
};
// The derivative of log(1 + e^x) is the logistic function.
struct MishBackward {
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T x) const {
    const T t = std::tanh(std::log1p(std::exp(x)));
    return g * (t + x * logistic(x) * (T(1) - t * t));
  }
};

// scale x above 0, scale alpha (e^(input_scale x) - 1) below.
template <typename M>
struct Elu {
  M above, below, in;
  C10_HOST_DEVICE M operator()(M x) const {
    return x < M(0) ? std::expm1(x * in) * below : x * above;
  }
};
// e^(input_scale x) scale alpha is the result plus scale alpha.
template <typename M>
struct EluBackward {
  M above, below, in;
  bool is_result;
  C10_HOST_DEVICE M operator()(M g, M x) const {
    if (!(x <= M(0))) {
      return g * above;
    }
    return is_result ? g * in * (x + below) : g * in * below * std::exp(x * in);
  }
};

// log(1 + e^(beta x)) / beta; x itself where the difference is negligible.
template <typename M>
struct Softplus {
  M beta, threshold;
  C10_HOST_DEVICE M operator()(M x) const {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  }
};
template <typename M>
struct SoftplusBackward {
  M beta, threshold;
  C10_HOST_DEVICE M operator()(M g, M x) const {
    return x * beta > threshold ? g : g * logistic(x * beta);
  }
};

// 1 - s(x) is e / (1 + e) above 0 and 1 / (1 + e) below.
struct LogSigmoidBackward {
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T x, T e) const {
    return g * (x < T(0) ? T(1) : e) / (T(1) + e);
  }
};

struct Glu {
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T b) const {
    return a * logistic(b);
  }
};
// For a s(b): d/da = s, d/db = a s (1 - s).
template <typename T>
struct GluBackward {
  C10_HOST_DEVICE Outputs<T, T> operator()(T grad, T a, T b) const {
    using M = math_type<T>;
    const M s = logistic(static_cast<M>(b));
    const M grad_a = static_cast<M>(grad) * s;
    return {static_cast<T>(grad_a), static_cast<T>(grad_a * static_cast<M>(a) * (M(1) - s))};
  }
};

// d/dx x P(x) = P + x P'. With the error function, P' is the normal density; else P = (1 + tanh u)
// / 2 with u = c (x + k x^3).
struct GeluBackward {
  bool tanh_approximation;
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T x) const {
    if (!tanh_approximation) {
      const T cdf = T(0.5) * (T(1) + std::erf(x * T(0.7071067811865476)));
      return g * (cdf + x * T(0.3989422804014327) * std::exp(x * x * T(-0.5)));
    }
    constexpr T c = T(0.7978845608028654), k = T(0.044715);
    const T square = x * x;
    const T t = std::tanh(c * x * (T(1) + k * square));
    const T u = c * (T(1) + T(3) * k * square);
    return g * (T(0.5) * (T(1) + t + x * (T(1) - t * t) * u));
  }
};

#define AT_FLOATING(iter, name, ...)                                                   \
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, (iter).common_dtype(), name, [&] { \
    [[maybe_unused]] const auto number = [](const Scalar& value) {                     \
      return static_cast<math_type<scalar_t>>(value.to<double>());                     \
    };                                                                                 \
    using M [[maybe_unused]] = math_type<scalar_t>;                                    \
    __VA_ARGS__;                                                                       \
  })
#define AT_FLOATING_AND_COMPLEX(iter, name, ...) \
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(   \
      kHalf, kBFloat16, (iter).common_dtype(), name, [&] { __VA_ARGS__; })

void sigmoid_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING_AND_COMPLEX(
      iter, "sigmoid_backward_cuda", gpu_binary<scalar_t>(iter, SigmoidBackward()));
}
void tanh_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING_AND_COMPLEX(iter, "tanh_backward_cuda", gpu_binary<scalar_t>(iter, TanhBackward()));
}
void silu_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING_AND_COMPLEX(iter, "silu_cuda", gpu_unary<scalar_t>(iter, Silu()));
}
void silu_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING_AND_COMPLEX(iter, "silu_backward_cuda", gpu_binary<scalar_t>(iter, SiluBackward()));
}
void mish_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "mish_cuda", gpu_unary<scalar_t>(iter, Mish()));
}
void mish_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "mish_backward_cuda", gpu_binary<scalar_t>(iter, MishBackward()));
}
void elu_kernel_cuda(
    TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  AT_FLOATING(
      iter, "elu_cuda",
      gpu_unary<scalar_t>(
          iter, Elu<M>{number(scale), number(alpha) * number(scale), number(input_scale)}));
}
void elu_backward_kernel_cuda(
    TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale,
    bool is_result) {
  AT_FLOATING(
      iter, "elu_backward_cuda",
      gpu_binary<scalar_t>(
          iter,
          EluBackward<M>{
              number(scale), number(alpha) * number(scale), number(input_scale), is_result}));
}
void softplus_kernel_cuda(TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  AT_FLOATING(
      iter, "softplus_cuda",
      gpu_unary<scalar_t>(iter, Softplus<M>{number(beta), number(threshold)}));
}
void softplus_backward_kernel_cuda(
    TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  AT_FLOATING(
      iter, "softplus_backward_cuda",
      gpu_binary<scalar_t>(iter, SoftplusBackward<M>{number(beta), number(threshold)}));
}
void log_sigmoid_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "log_sigmoid_backward_cuda", gpu_ternary<scalar_t>(iter, LogSigmoidBackward()));
}
void glu_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "glu_cuda", gpu_binary<scalar_t>(iter, Glu()));
}
void glu_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(
      iter, "glu_backward_cuda", gpu_kernel_multiple_outputs(iter, GluBackward<scalar_t>()));
}
void gelu_backward_kernel_cuda(TensorIteratorBase& iter, bool tanh_approximation) {
  AT_FLOATING(
      iter, "gelu_backward_cuda", gpu_binary<scalar_t>(iter, GeluBackward{tanh_approximation}));
}

} // namespace

REGISTER_CUDA_DISPATCH(sigmoid_backward_stub, &sigmoid_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(tanh_backward_stub, &tanh_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(silu_stub, &silu_kernel_cuda)
REGISTER_CUDA_DISPATCH(silu_backward_stub, &silu_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(mish_stub, &mish_kernel_cuda)
REGISTER_CUDA_DISPATCH(mish_backward_stub, &mish_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(elu_stub, &elu_kernel_cuda)
REGISTER_CUDA_DISPATCH(elu_backward_stub, &elu_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(softplus_stub, &softplus_kernel_cuda)
REGISTER_CUDA_DISPATCH(softplus_backward_stub, &softplus_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(log_sigmoid_backward_stub, &log_sigmoid_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(glu_stub, &glu_kernel_cuda)
REGISTER_CUDA_DISPATCH(glu_backward_stub, &glu_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(gelu_backward_stub, &gelu_backward_kernel_cuda)

} // namespace at::native
