// One step of an optimizer over all its parameters, many tensors per launch. The formulas and their
// sources are in native/cpu/Fused*Kernel.cpp.

#include <ATen/native/FusedOptimizers.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/ReduceTypes.cuh>

#include <cmath>

namespace at::native {
namespace {

constexpr int kTensors = 32;        // of a launch, whose arguments must fit 4 KiB
constexpr int64_t kPerBlock = 4096; // elements
constexpr int kThreads = 256;

struct OneTensor {
  void* parameter;
  const void* gradient;
  void* states[OptimizerArrays::kMostStates];
  int64_t count;
  double factors[2]; // that depend on the number of the step
};

struct Batch {
  OneTensor tensors[kTensors];
  int first_block[kTensors + 1];
  int count = 0;
};

template <typename T, int States, typename Update>
__global__ void step_kernel(Batch batch, Update update) {
  using Real = device_acc_t<T>;
  const int block = static_cast<int>(blockIdx.x);
  int index = 0;
  while (index + 1 < batch.count && batch.first_block[index + 1] <= block) {
    ++index;
  }
  const OneTensor& tensor = batch.tensors[index];
  auto* parameter = static_cast<T*>(tensor.parameter);
  const auto* gradient = static_cast<const T*>(tensor.gradient);
  const int64_t begin = static_cast<int64_t>(block - batch.first_block[index]) * kPerBlock;
  const int64_t end = begin + kPerBlock < tensor.count ? begin + kPerBlock : tensor.count;
  const Real first = static_cast<Real>(tensor.factors[0]);
  const Real second = static_cast<Real>(tensor.factors[1]);
  for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    Real value = static_cast<Real>(parameter[i]);
    Real states[OptimizerArrays::kMostStates] = {};
#pragma unroll
    for (int s = 0; s < States; ++s) {
      states[s] = static_cast<Real>(static_cast<const T*>(tensor.states[s])[i]);
    }
    update(value, static_cast<Real>(gradient[i]), states, first, second);
    parameter[i] = static_cast<T>(value);
#pragma unroll
    for (int s = 0; s < States; ++s) {
      static_cast<T*>(tensor.states[s])[i] = static_cast<T>(states[s]);
    }
  }
}

struct Factors {
  double first = 0, second = 0;
};

// `factors` gives the numbers of a tensor's step.
template <typename T, int States, typename Update, typename MakeFactors>
void run_all(
    c10::ArrayRef<OptimizerArrays> arrays, const Update& update, const MakeFactors& factors) {
  Batch batch;
  int blocks = 0;
  int64_t largest = 0;
  const auto flush = [&] {
    if (blocks > 0) {
      batch.first_block[batch.count] = blocks;
      const int64_t threads = std::min<int64_t>(kThreads, ceil_div(largest, 32) * 32);
      launch_on_current_stream(
          step_kernel<T, States, Update>, static_cast<unsigned>(blocks),
          static_cast<unsigned>(threads), 0, batch, update);
    }
    batch.count = 0;
    blocks = 0;
    largest = 0;
  };
  for (const OptimizerArrays& tensor : arrays) {
    if (tensor.count == 0) {
      continue;
    }
    const Factors f = factors(tensor.step);
    batch.tensors[batch.count] = {
        tensor.parameter,
        tensor.gradient,
        {tensor.states[0], tensor.states[1], tensor.states[2]},
        tensor.count,
        {f.first, f.second}};
    batch.first_block[batch.count++] = blocks;
    blocks += static_cast<int>(ceil_div(tensor.count, kPerBlock));
    largest = std::max(largest, tensor.count);
    if (batch.count == kTensors) {
      flush();
    }
  }
  flush();
}

// The gradient of the minimized function, including weight decay.
template <typename Real>
C10_DEVICE inline Real descent(Real gradient, Real parameter, Real weight_decay, bool maximize) {
  const Real slope = maximize ? -gradient : gradient;
  return weight_decay == Real(0) ? slope : slope + weight_decay * parameter;
}

template <typename Real>
struct SgdUpdate {
  Real decay, momentum, lr, fresh;
  bool nesterov, maximize, first_step;

  C10_DEVICE void operator()(Real& p, Real gradient, Real* state, Real, Real) const {
    const Real g = descent(gradient, p, decay, maximize);
    if (momentum == Real(0)) {
      p -= lr * g;
      return;
    }
    // The first step must not read the buffer, which is uninitialized.
    state[0] = first_step ? g : momentum * state[0] + fresh * g;
    p -= lr * (nesterov ? g + momentum * state[0] : state[0]);
  }
};

template <typename Real>
struct AdamUpdate {
  Real decay, shrink, fresh1, beta2, fresh2, eps;
  bool amsgrad, maximize;

  C10_DEVICE void operator()(
      Real& p, Real gradient, Real* state, Real rate, Real correction) const {
    p *= shrink;
    const Real g = descent(gradient, p, decay, maximize);
    state[0] += fresh1 * (g - state[0]);
    state[1] = beta2 * state[1] + fresh2 * g * g;
    Real square = state[1];
    if (amsgrad) {
      state[2] = square = state[2] > square ? state[2] : square;
    }
    p -= rate * state[0] / (std::sqrt(square) / correction + eps);
  }
};

template <typename Real>
struct AdagradUpdate {
  Real decay, eps;
  bool maximize;

  C10_DEVICE void operator()(Real& p, Real gradient, Real* state, Real rate, Real) const {
    const Real g = descent(gradient, p, decay, maximize);
    state[0] += g * g;
    p -= rate * g / (std::sqrt(state[0]) + eps);
  }
};

template <typename Real>
struct RmspropUpdate {
  Real decay, eps, lr, momentum, alpha, fresh;
  bool centered, maximize;

  C10_DEVICE void operator()(Real& p, Real gradient, Real* state, Real, Real) const {
    const Real g = descent(gradient, p, decay, maximize);
    state[0] = alpha * state[0] + fresh * g * g;
    Real square = state[0];
    if (centered) {
      state[1] += fresh * (g - state[1]);
      square -= state[1] * state[1];
    }
    Real update = g / (std::sqrt(square) + eps);
    if (momentum > Real(0)) {
      Real& buffer = centered ? state[2] : state[1];
      buffer = update = momentum * buffer + update;
    }
    p -= lr * update;
  }
};

template <typename Real>
struct AdadeltaUpdate {
  Real decay, eps, lr, rho, fresh;
  bool maximize;

  C10_DEVICE void operator()(Real& p, Real gradient, Real* state, Real, Real) const {
    const Real g = descent(gradient, p, decay, maximize);
    state[0] = rho * state[0] + fresh * g * g;
    const Real update = std::sqrt(state[1] + eps) / std::sqrt(state[0] + eps) * g;
    state[1] = rho * state[1] + fresh * update * update;
    p -= lr * update;
  }
};

using Arrays = c10::ArrayRef<OptimizerArrays>;

void sgd_on_device(Arrays arrays, ScalarType dtype, const SgdSettings& s) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "fused_sgd", [&] {
    using Real = device_acc_t<scalar_t>;
    const SgdUpdate<Real> update{Real(s.weight_decay),  Real(s.momentum), Real(s.lr),
                                 Real(1 - s.dampening), s.nesterov,       s.maximize,
                                 s.first_step};
    const auto none = [](double) { return Factors(); };
    s.momentum == 0 ? run_all<scalar_t, 0>(arrays, update, none)
                    : run_all<scalar_t, 1>(arrays, update, none);
  });
}

void adam_on_device(Arrays arrays, ScalarType dtype, const AdamSettings& s) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "fused_adam", [&] {
    using Real = device_acc_t<scalar_t>;
    const AdamUpdate<Real> update{
        Real(s.decoupled ? 0 : s.weight_decay),
        Real(s.decoupled ? 1 - s.lr * s.weight_decay : 1),
        Real(1 - s.beta1),
        Real(s.beta2),
        Real(1 - s.beta2),
        Real(s.eps),
        s.amsgrad,
        s.maximize};
    const auto factors = [&s](double step) {
      return Factors{s.lr / (1 - std::pow(s.beta1, step)), std::sqrt(1 - std::pow(s.beta2, step))};
    };
    s.amsgrad ? run_all<scalar_t, 3>(arrays, update, factors)
              : run_all<scalar_t, 2>(arrays, update, factors);
  });
}

void adagrad_on_device(Arrays arrays, ScalarType dtype, const AdagradSettings& s) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "fused_adagrad", [&] {
    using Real = device_acc_t<scalar_t>;
    const AdagradUpdate<Real> update{Real(s.weight_decay), Real(s.eps), s.maximize};
    run_all<scalar_t, 1>(arrays, update, [&s](double step) {
      return Factors{s.lr / (1 + (step - 1) * s.lr_decay), 0};
    });
  });
}

void rmsprop_on_device(Arrays arrays, ScalarType dtype, const RmspropSettings& s) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "fused_rmsprop", [&] {
    using Real = device_acc_t<scalar_t>;
    const RmspropUpdate<Real> update{Real(s.weight_decay), Real(s.eps),   Real(s.lr),
                                     Real(s.momentum),     Real(s.alpha), Real(1 - s.alpha),
                                     s.centered,           s.maximize};
    const auto none = [](double) { return Factors(); };
    switch ((s.centered ? 2 : 1) + (s.momentum > 0 ? 1 : 0)) {
      case 1:
        return run_all<scalar_t, 1>(arrays, update, none);
      case 2:
        return run_all<scalar_t, 2>(arrays, update, none);
      default:
        return run_all<scalar_t, 3>(arrays, update, none);
    }
  });
}

void adadelta_on_device(Arrays arrays, ScalarType dtype, const AdadeltaSettings& s) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "fused_adadelta", [&] {
    using Real = device_acc_t<scalar_t>;
    const AdadeltaUpdate<Real> update{Real(s.weight_decay), Real(s.eps),     Real(s.lr),
                                      Real(s.rho),          Real(1 - s.rho), s.maximize};
    run_all<scalar_t, 2>(arrays, update, [](double) { return Factors(); });
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(fused_sgd_stub, &sgd_on_device)
REGISTER_CUDA_DISPATCH(fused_adam_stub, &adam_on_device)
REGISTER_CUDA_DISPATCH(fused_adagrad_stub, &adagrad_on_device)
REGISTER_CUDA_DISPATCH(fused_rmsprop_stub, &rmsprop_on_device)
REGISTER_CUDA_DISPATCH(fused_adadelta_stub, &adadelta_on_device)

} // namespace at::native
