#include <ATen/native/cpu/FusedOptimizer.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Adagrad, RMSprop and Adadelta, which divide by the root of averaged squares.

// s += g^2; p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps).   Duchi et al. (2011)
void adagrad_kernel(OptimizedTensors tensors, ScalarType dtype, const AdagradSettings& s) {
  for_floating(dtype, "fused_adagrad", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, eps = s.eps;
    run_all<T, 1>(tensors, [&](double step) {
      const E rate = s.lr / (1 + (step - 1) * s.lr_decay);
      return [&, rate](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        state[0] = plus_square(state[0], E(1), g);
        p -= rate * g / (vec::sqrt_exact(state[0]) + eps);
      };
    });
  });
}

// v = alpha v + (1 - alpha) g^2; d = g / (sqrt(v) + eps), centered: v - mean(g)^2 under the root;
// b = momentum b + d; p -= lr b.   Tieleman and Hinton (2012), Graves (2013)
void rmsprop_kernel(OptimizedTensors tensors, ScalarType dtype, const RmspropSettings& s) {
  for_floating(dtype, "fused_rmsprop", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, eps = s.eps, lr = s.lr, momentum = s.momentum;
    const E alpha = s.alpha, fresh = 1 - s.alpha;
    const int buffer = s.centered ? 2 : 1;
    const auto make = [&](double) {
      return [&](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        state[0] = plus_square(alpha * state[0], fresh, g);
        auto square = state[0];
        if (s.centered) {
          state[1] = moved(state[1], g, fresh);
          square = plus_square(square, E(-1), state[1]);
        }
        const auto root = vec::sqrt_exact(square) + eps;
        if (momentum > 0) {
          state[buffer] = momentum * state[buffer] + g / root;
          p = plus(p, -lr, state[buffer]);
        } else {
          p -= lr * g / root;
        }
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
void adadelta_kernel(OptimizedTensors tensors, ScalarType dtype, const AdadeltaSettings& s) {
  for_floating(dtype, "fused_adadelta", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, eps = s.eps, lr = s.lr, rho = s.rho, fresh = 1 - s.rho;
    run_all<T, 2>(tensors, [&](double) {
      return [&](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        state[0] = plus_square(rho * state[0], fresh, g);
        const auto update = vec::sqrt_exact(state[1] + eps) / vec::sqrt_exact(state[0] + eps) * g;
        state[1] = plus_square(rho * state[1], fresh, update);
        p = plus(p, -lr, update);
      };
    });
  });
}

} // namespace

REGISTER_DISPATCH(fused_adagrad_stub, &adagrad_kernel)
REGISTER_DISPATCH(fused_rmsprop_stub, &rmsprop_kernel)
REGISTER_DISPATCH(fused_adadelta_stub, &adadelta_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
