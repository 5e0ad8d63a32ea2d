// Piecewise linear activations and their gradients.

#include <ATen/native/Activation.h>
#include <ATen/native/cuda/Functors.cuh>

namespace at::native {
namespace {

template <typename M>
struct Threshold { // a NaN counts as above every threshold
  M bound, instead;
  C10_HOST_DEVICE M operator()(M x) const { return x <= bound ? instead : x; }
};
template <typename M>
struct ThresholdBackward {
  M bound;
  C10_HOST_DEVICE M operator()(M x, M g) const { return x <= bound ? M(0) : g; }
};
template <typename M>
struct LeakyRelu {
  M slope;
  C10_HOST_DEVICE M operator()(M x) const { return x > M(0) ? x : x * slope; }
};
template <typename M>
struct LeakyReluBackward {
  M slope;
  C10_HOST_DEVICE M operator()(M x, M g) const { return x > M(0) ? g : g * slope; }
};
template <typename M>
struct HardtanhBackward {
  M low, high;
  C10_HOST_DEVICE M operator()(M g, M x) const { return x <= low || x >= high ? M(0) : g; }
};

// A line from 0 at -3 to 6 at 3. A NaN is kept.
template <typename T>
C10_HOST_DEVICE T ramp(T x) {
  const T y = x + T(3);
  return y < T(0) ? T(0) : (y > T(6) ? T(6) : y);
}
struct Hardsigmoid {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return ramp(x) / T(6);
  }
};
struct HardsigmoidBackward {
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T x) const {
    return x > T(-3) && x < T(3) ? g / T(6) : T(0);
  }
};
struct Hardswish {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return x * ramp(x) / T(6);
  }
};
struct HardswishBackward {
  template <typename T>
  C10_HOST_DEVICE T operator()(T g, T x) const {
    return x <= T(-3) ? T(0) : (x < T(3) ? g * (x / T(3) + T(0.5)) : g);
  }
};
// Inside the interval, x * 0 keeps the sign and a NaN.
template <typename M>
struct Softshrink {
  M bound;
  C10_HOST_DEVICE M operator()(M x) const {
    return x > bound ? x - bound : (x < -bound ? x + bound : x * M(0));
  }
};
template <typename M>
struct Hardshrink {
  M bound;
  C10_HOST_DEVICE M operator()(M x) const { return x >= -bound && x <= bound ? M(0) : x; }
};
// For both: the gradient is zero inside [-lambd, lambd].
template <typename M>
struct ShrinkBackward {
  M bound;
  C10_HOST_DEVICE M operator()(M g, M x) const { return x >= -bound && x <= bound ? M(0) : g; }
};
struct Prelu {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x, T w) const {
    return x > T(0) ? x : w * x;
  }
};
template <typename T>
struct PreluBackward {
  C10_HOST_DEVICE Outputs<T, T> operator()(T x, T w, T g) const {
    using M = math_type<T>;
    const M input = static_cast<M>(x), grad = static_cast<M>(g);
    if (input > M(0)) {
      return {g, static_cast<T>(M(0))};
    }
    return {static_cast<T>(static_cast<M>(w) * grad), static_cast<T>(input * grad)};
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

void threshold_kernel_cuda(TensorIteratorBase& iter, const Scalar& threshold, const Scalar& value) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "threshold_cuda", [&] {
    using M = math_type<scalar_t>;
    gpu_unary<scalar_t>(
        iter,
        Threshold<M>{
            static_cast<M>(threshold.to<scalar_t>()), static_cast<M>(value.to<scalar_t>())});
  });
}
void threshold_backward_kernel_cuda(TensorIteratorBase& iter, const Scalar& threshold) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "threshold_cuda", [&] {
    using M = math_type<scalar_t>;
    gpu_binary<scalar_t>(iter, ThresholdBackward<M>{static_cast<M>(threshold.to<scalar_t>())});
  });
}
void leaky_relu_kernel_cuda(TensorIteratorBase& iter, const Scalar& slope) {
  AT_FLOATING(iter, "leaky_relu_cuda", gpu_unary<scalar_t>(iter, LeakyRelu<M>{number(slope)}));
}
void leaky_relu_backward_kernel_cuda(TensorIteratorBase& iter, const Scalar& slope) {
  AT_FLOATING(
      iter, "leaky_relu_backward_cuda",
      gpu_binary<scalar_t>(iter, LeakyReluBackward<M>{number(slope)}));
}
void hardtanh_backward_kernel_cuda(TensorIteratorBase& iter, const Scalar& min, const Scalar& max) {
  AT_FLOATING(
      iter, "hardtanh_backward_cuda",
      gpu_binary<scalar_t>(iter, HardtanhBackward<M>{number(min), number(max)}));
}
void hardsigmoid_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "hardsigmoid_cuda", gpu_unary<scalar_t>(iter, Hardsigmoid()));
}
void hardsigmoid_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "hardsigmoid_backward_cuda", gpu_binary<scalar_t>(iter, HardsigmoidBackward()));
}
void hardswish_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "hardswish_cuda", gpu_unary<scalar_t>(iter, Hardswish()));
}
void hardswish_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "hardswish_backward_cuda", gpu_binary<scalar_t>(iter, HardswishBackward()));
}
void softshrink_kernel_cuda(TensorIteratorBase& iter, const Scalar& lambd) {
  AT_FLOATING(iter, "softshrink_cuda", gpu_unary<scalar_t>(iter, Softshrink<M>{number(lambd)}));
}
void hardshrink_kernel_cuda(TensorIteratorBase& iter, const Scalar& lambd) {
  AT_FLOATING(iter, "hardshrink_cuda", gpu_unary<scalar_t>(iter, Hardshrink<M>{number(lambd)}));
}
void shrink_backward_kernel_cuda(TensorIteratorBase& iter, const Scalar& lambd) {
  AT_FLOATING(
      iter, "shrink_backward_cuda", gpu_binary<scalar_t>(iter, ShrinkBackward<M>{number(lambd)}));
}
void prelu_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(iter, "prelu_cuda", gpu_binary<scalar_t>(iter, Prelu()));
}
void prelu_backward_kernel_cuda(TensorIteratorBase& iter) {
  AT_FLOATING(
      iter, "prelu_backward_cuda", gpu_kernel_multiple_outputs(iter, PreluBackward<scalar_t>()));
}

} // namespace

REGISTER_CUDA_DISPATCH(threshold_stub, &threshold_kernel_cuda)
REGISTER_CUDA_DISPATCH(threshold_backward_stub, &threshold_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(leaky_relu_stub, &leaky_relu_kernel_cuda)
REGISTER_CUDA_DISPATCH(leaky_relu_backward_stub, &leaky_relu_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(hardtanh_backward_stub, &hardtanh_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(hardsigmoid_stub, &hardsigmoid_kernel_cuda)
REGISTER_CUDA_DISPATCH(hardsigmoid_backward_stub, &hardsigmoid_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(hardswish_stub, &hardswish_kernel_cuda)
REGISTER_CUDA_DISPATCH(hardswish_backward_stub, &hardswish_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(softshrink_stub, &softshrink_kernel_cuda)
REGISTER_CUDA_DISPATCH(hardshrink_stub, &hardshrink_kernel_cuda)
REGISTER_CUDA_DISPATCH(shrink_backward_stub, &shrink_backward_kernel_cuda)
REGISTER_CUDA_DISPATCH(prelu_stub, &prelu_kernel_cuda)
REGISTER_CUDA_DISPATCH(prelu_backward_stub, &prelu_backward_kernel_cuda)

} // namespace at::native
