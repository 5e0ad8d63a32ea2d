#include <ATen/native/cpu/FusedOptimizer.h>

#include <cmath>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
// p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps).   Kingma and Ba (2014)
void adam_kernel(OptimizedTensors tensors, ScalarType dtype, const AdamSettings& s) {
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
        state[0] = moved(state[0], g, fresh1);
        state[1] = plus_square(beta2 * state[1], fresh2, g);
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

} // namespace

REGISTER_DISPATCH(fused_adam_stub, &adam_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
