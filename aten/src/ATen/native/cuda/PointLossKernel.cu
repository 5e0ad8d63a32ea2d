// mse_loss, smooth_l1_loss, huber_loss and binary cross entropies.

#include <ATen/native/Loss.h>
#include <ATen/native/cuda/Functors.cuh>
#include <c10/cuda/CUDADeviceAssert.h>

#include <cmath>

namespace at::native {
namespace {

// The loss and its slope in z = input - target.
template <PointLoss kind, typename M>
C10_HOST_DEVICE inline M loss_of(M z, M parameter) {
  const M size = std::abs(z);
  if constexpr (kind == PointLoss::Squared) {
    return z * z;
  } else if constexpr (kind == PointLoss::SmoothL1) {
    return size < parameter ? M(0.5) * z * z / parameter : size - M(0.5) * parameter;
  } else {
    return size <= parameter ? M(0.5) * z * z : parameter * (size - M(0.5) * parameter);
  }
}

template <typename M>
C10_HOST_DEVICE inline M sign_of(M z) {
  return z > M(0) ? M(1) : z < M(0) ? M(-1) : z * M(0);
}

template <PointLoss kind, typename M>
C10_HOST_DEVICE inline M slope_of(M z, M parameter) {
  if constexpr (kind == PointLoss::Squared) {
    return M(2) * z;
  } else if constexpr (kind == PointLoss::SmoothL1) {
    return std::abs(z) < parameter ? z / parameter : sign_of(z);
  } else {
    return std::abs(z) <= parameter ? z : parameter * sign_of(z);
  }
}

template <PointLoss kind, typename M>
struct LossFunctor {
  M parameter;
  C10_HOST_DEVICE M operator()(M input, M target) const {
    return loss_of<kind>(input - target, parameter);
  }
};

template <PointLoss kind, typename M>
struct SlopeFunctor {
  M parameter, norm;
  C10_HOST_DEVICE M operator()(M input, M target, M grad) const {
    return norm * grad * slope_of<kind>(input - target, parameter);
  }
};

// For integers, arithmetic uses the dtype from the norm on, as on the CPU.
template <typename T>
struct IntegerSlope {
  PointLoss kind;
  T scale, bound;
  C10_HOST_DEVICE T operator()(T input, T target, T grad) const {
    const auto z = input - target; // narrow types widen
    if (kind == PointLoss::Squared) {
      return static_cast<T>(scale * z * grad);
    }
    if (z < -bound || z > bound) {
      return static_cast<T>(z > bound ? scale * grad : -scale * grad);
    }
    return bound == 0 ? T(0) : static_cast<T>(scale * z * grad / bound);
  }
};

template <typename T>
void loss_as(TensorIteratorBase& iter, PointLoss kind, double parameter) {
  using M = math_type<T>;
  const M p = static_cast<M>(parameter);
  switch (kind) {
    case PointLoss::Squared:
      return gpu_binary<T>(iter, LossFunctor<PointLoss::Squared, M>{p});
    case PointLoss::SmoothL1:
      return gpu_binary<T>(iter, LossFunctor<PointLoss::SmoothL1, M>{p});
    case PointLoss::Huber:
      return gpu_binary<T>(iter, LossFunctor<PointLoss::Huber, M>{p});
  }
}

template <typename T>
void slope_as(TensorIteratorBase& iter, PointLoss kind, double parameter, double norm) {
  using M = math_type<T>;
  const M p = static_cast<M>(parameter), n = static_cast<M>(norm);
  switch (kind) {
    case PointLoss::Squared:
      return gpu_ternary<T>(iter, SlopeFunctor<PointLoss::Squared, M>{p, n});
    case PointLoss::SmoothL1:
      return gpu_ternary<T>(iter, SlopeFunctor<PointLoss::SmoothL1, M>{p, n});
    case PointLoss::Huber:
      return gpu_ternary<T>(iter, SlopeFunctor<PointLoss::Huber, M>{p, n});
  }
}

void point_loss_on_device(TensorIteratorBase& iter, PointLoss kind, double parameter) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "point_loss_cuda", [&] {
    loss_as<scalar_t>(iter, kind, parameter);
  });
}

void point_loss_backward_on_device(
    TensorIteratorBase& iter, PointLoss kind, double parameter, double norm) {
  if (c10::isIntegralType(iter.common_dtype(), false)) {
    AT_DISPATCH_INTEGRAL_TYPES(iter.common_dtype(), "point_loss_backward_cuda", [&] {
      gpu_kernel(
          iter,
          IntegerSlope<scalar_t>{
              kind, static_cast<scalar_t>(kind == PointLoss::Squared ? 2 * norm : norm),
              static_cast<scalar_t>(parameter)});
    });
    return;
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "point_loss_backward_cuda",
      [&] { slope_as<scalar_t>(iter, kind, parameter, norm); });
}

// ---- binary cross entropies; logarithms are clamped at -100, so that a confident wrong prediction
// has a finite loss

template <typename M>
C10_HOST_DEVICE inline M bounded(M log) {
  return log < M(-100) ? M(-100) : log;
}

struct CrossEntropy {
  template <typename M>
  C10_HOST_DEVICE M operator()(M x, M t) const {
    CUDA_KERNEL_ASSERT(x >= M(0) && x <= M(1) && "input should be between 0 and 1");
    return (t - M(1)) * bounded(std::log1p(-x)) - t * bounded(std::log(x));
  }
};

// (x - t) / (x (1 - x)), with the divisor clamped at 1e-12.
template <typename M>
struct CrossEntropySlope {
  M count;
  C10_HOST_DEVICE M operator()(M grad, M x, M t) const {
    const M spread = (M(1) - x) * x;
    return grad * (x - t) / (spread < M(1e-12) ? M(1e-12) : spread) / count;
  }
};

// max(z, 0) - z t + log(1 + e^-|z|)
struct LogitsCrossEntropy {
  template <typename M>
  C10_HOST_DEVICE M operator()(M z, M t) const {
    return (z > M(0) ? z : M(0)) - z * t + std::log1p(std::exp(-std::abs(z)));
  }
};

bool cross_entropy_on_device(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "binary_cross_entropy_cuda",
      [&] { gpu_binary<scalar_t>(iter, CrossEntropy()); });
  return true; // the kernel checks the input
}

void cross_entropy_backward_on_device(TensorIteratorBase& iter, double count) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "binary_cross_entropy_backward_cuda", [&] {
        using M = math_type<scalar_t>;
        gpu_ternary<scalar_t>(iter, CrossEntropySlope<M>{static_cast<M>(count)});
      });
}

void logits_cross_entropy_on_device(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "binary_cross_entropy_with_logits_cuda",
      [&] { gpu_binary<scalar_t>(iter, LogitsCrossEntropy()); });
}

} // namespace

REGISTER_CUDA_DISPATCH(point_loss_stub, &point_loss_on_device)
REGISTER_CUDA_DISPATCH(point_loss_backward_stub, &point_loss_backward_on_device)
REGISTER_CUDA_DISPATCH(binary_cross_entropy_stub, &cross_entropy_on_device)
REGISTER_CUDA_DISPATCH(binary_cross_entropy_backward_stub, &cross_entropy_backward_on_device)
REGISTER_CUDA_DISPATCH(binary_cross_entropy_logits_stub, &logits_cross_entropy_on_device)

} // namespace at::native
