// One step of an optimizer over all its parameters: each element is read once and written once.

#include <ATen/native/FusedOptimizers.h>

#include <ATen/Parallel.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cmath>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

using Tensors = c10::ArrayRef<OptimizerArrays>;

// update(parameter, gradient, states...) on registers of one tensor's elements [begin, end).
template <typename T, int States, typename Update>
void run_range(const OptimizerArrays& arrays, int64_t begin, int64_t end, const Update& update) {
  using Lane = vec::lane_type<T>;
  T* const parameter = static_cast<T*>(arrays.parameter);
  const T* const gradient = static_cast<const T*>(arrays.gradient);
  for (int64_t i = begin; i < end; i += kLanes<Lane>) {
    const int64_t count = end - i;
    auto value = load_up_to<Lane>(parameter + i, count, Lane(0));
    const auto slope = load_up_to<Lane>(gradient + i, count, Lane(0));
    Lanes<Lane> states[OptimizerArrays::kMostStates] = {};
    for (int s = 0; s < States; ++s) {
      states[s] = load_up_to<Lane>(static_cast<T*>(arrays.states[s]) + i, count, Lane(0));
    }
    update(value, slope, states);
    save_up_to<T, Lane>(parameter + i, value, count);
    for (int s = 0; s < States; ++s) {
      save_up_to<T, Lane>(static_cast<T*>(arrays.states[s]) + i, states[s], count);
    }
  }
}

// All tensors as one range, so that many small ones are shared out as well as a few large ones.
// make(step) gives a tensor's update.
template <typename T, int States, typename Make>
void run_all(Tensors tensors, const Make& make) {
  constexpr int64_t kGrain = 16384;
  constexpr int64_t kAlign = 64; // ranges end on whole registers
  int64_t total = 0;
  for (const auto& arrays : tensors) {
    total += (arrays.count + kAlign - 1) / kAlign;
  }
  at::parallel_for(0, total, kGrain / kAlign, [&](int64_t begin, int64_t end) {
    int64_t start = 0;
    for (const auto& arrays : tensors) {
      const int64_t stop = start + (arrays.count + kAlign - 1) / kAlign;
      if (start < end && begin < stop) {
        const int64_t from = (std::max(begin, start) - start) * kAlign;
        const int64_t to = std::min((std::min(end, stop) - start) * kAlign, arrays.count);
        run_range<T, States>(arrays, from, to, make(arrays.step));
      }
      start = stop;
    }
  });
}

// The gradient of what is minimised, weight decay included.
template <typename V, typename E>
C10_ALWAYS_INLINE V descent(V gradient, V parameter, E weight_decay, bool maximize) {
  const V slope = maximize ? -gradient : gradient;
  return weight_decay == 0 ? slope : slope + weight_decay * parameter;
}

// b = momentum b + (1 - dampening) g; p -= lr b. Nesterov: p -= lr (g + momentum b).
void sgd_kernel(Tensors tensors, ScalarType dtype, const SgdSettings& s) {
  for_floating(dtype, "fused_sgd", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, momentum = s.momentum, lr = s.lr;
    const E fresh = s.first_step ? 1 : 1 - s.dampening;
    const E kept = s.first_step ? 0 : s.momentum;
    if (s.momentum == 0) {
      return run_all<T, 0>(tensors, [&](double) {
        return [&](auto& p, auto gradient, auto*) {
          p -= lr * descent(gradient, p, decay, s.maximize);
        };
      });
    }
    run_all<T, 1>(tensors, [&](double) {
      return [&](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        // The first step must not read the buffer, which nothing has filled.
        state[0] = s.first_step ? g : kept * state[0] + fresh * g;
        p -= lr * (s.nesterov ? g + momentum * state[0] : state[0]);
      };
    });
  });
}

// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
// p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps).   Kingma and Ba (2014)
void adam_kernel(Tensors tensors, ScalarType dtype, const AdamSettings& s) {
  for_floating(dtype, "fused_adam", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.decoupled ? 0 : s.weight_decay, eps = s.eps;
    const E shrink = s.decoupled ? 1 - s.lr * s.weight_decay : 1;
    const E fresh1 = 1 - s.beta1, beta2 = s.beta2, fresh2 = 1 - s.beta2;
    const auto make = [&](double step) {
      const E rate = s.lr / (1 - std::pow(s.beta1, step));
      const E correction = std::sqrt(1 - std::pow(s.beta2, step));
      return [&, rate, correction](auto& p, auto gradient, auto* state) {
        p *= shrink;
        const auto g = descent(gradient, p, decay, s.maximize);
        state[0] += fresh1 * (g - state[0]);
        state[1] = beta2 * state[1] + fresh2 * g * g;
        auto square = state[1];
        if (s.amsgrad) {
          state[2] = square = lane_max(state[2], square);
        }
        p -= rate * state[0] / (vec::sqrt_exact(square) / correction + eps);
      };
    };
    return s.amsgrad ? run_all<T, 3>(tensors, make) : run_all<T, 2>(tensors, make);
  });
}

// s += g^2; p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps).   Duchi et al. (2011)
void adagrad_kernel(Tensors tensors, ScalarType dtype, const AdagradSettings& s) {
  for_floating(dtype, "fused_adagrad", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, eps = s.eps;
    run_all<T, 1>(tensors, [&](double step) {
      const E rate = s.lr / (1 + (step - 1) * s.lr_decay);
      return [&, rate](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        state[0] += g * g;
        p -= rate * g / (vec::sqrt_exact(state[0]) + eps);
      };
    });
  });
}

// v = alpha v + (1 - alpha) g^2; d = g / (sqrt(v) + eps), centered: v - mean(g)^2 under the root;
// b = momentum b + d; p -= lr b.   Tieleman and Hinton (2012), Graves (2013)
void rmsprop_kernel(Tensors tensors, ScalarType dtype, const RmspropSettings& s) {
  for_floating(dtype, "fused_rmsprop", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, eps = s.eps, lr = s.lr, momentum = s.momentum;
    const E alpha = s.alpha, fresh = 1 - s.alpha;
    const int buffer = s.centered ? 2 : 1;
    const auto make = [&](double) {
      return [&](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        state[0] = alpha * state[0] + fresh * g * g;
        auto square = state[0];
        if (s.centered) {
          state[1] += fresh * (g - state[1]);
          square -= state[1] * state[1];
        }
        auto update = g / (vec::sqrt_exact(square) + eps);
        if (momentum > 0) {
          state[buffer] = update = momentum * state[buffer] + update;
        }
        p -= lr * update;
      };
    };
    switch (buffer + (momentum > 0 ? 1 : 0)) {
      case 1:
        return run_all<T, 1>(tensors, make);
      case 2:
        return run_all<T, 2>(tensors, make);
      default:
        return run_all<T, 3>(tensors, make);
    }
  });
}

// v = rho v + (1 - rho) g^2; d = g sqrt(u + eps) / sqrt(v + eps); u = rho u + (1 - rho) d^2;
// p -= lr d.   Zeiler (2012)
void adadelta_kernel(Tensors tensors, ScalarType dtype, const AdadeltaSettings& s) {
  for_floating(dtype, "fused_adadelta", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, eps = s.eps, lr = s.lr, rho = s.rho, fresh = 1 - s.rho;
    run_all<T, 2>(tensors, [&](double) {
      return [&](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        state[0] = rho * state[0] + fresh * g * g;
        const auto update = vec::sqrt_exact(state[1] + eps) / vec::sqrt_exact(state[0] + eps) * g;
        state[1] = rho * state[1] + fresh * update * update;
        p -= lr * update;
      };
    });
  });
}

} // namespace

REGISTER_DISPATCH(fused_sgd_stub, &sgd_kernel)
REGISTER_DISPATCH(fused_adam_stub, &adam_kernel)
REGISTER_DISPATCH(fused_adagrad_stub, &adagrad_kernel)
REGISTER_DISPATCH(fused_rmsprop_stub, &rmsprop_kernel)
REGISTER_DISPATCH(fused_adadelta_stub, &adadelta_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
