#include <ATen/native/cpu/FusedOptimizer.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// b = momentum b + (1 - dampening) g; p -= lr b. Nesterov: p -= lr (g + momentum b).
void sgd_kernel(OptimizedTensors tensors, ScalarType dtype, const SgdSettings& s) {
  for_floating(dtype, "fused_sgd", [&]<typename T>(T) {
    using E = vec::lane_type<T>;
    const E decay = s.weight_decay, momentum = s.momentum, lr = s.lr;
    const E fresh = s.first_step ? 1 : 1 - s.dampening;
    const E kept = s.first_step ? 0 : s.momentum;
    if (s.momentum == 0) {
      return run_all<T, 0>(tensors, [&](double) {
        return [&](auto& p, auto gradient, auto*) {
          p = plus(p, -lr, descent(gradient, p, decay, s.maximize));
        };
      });
    }
    run_all<T, 1>(tensors, [&](double) {
      return [&](auto& p, auto gradient, auto* state) {
        const auto g = descent(gradient, p, decay, s.maximize);
        // The first step must not read the buffer, which is uninitialized.
        state[0] = s.first_step ? g : plus(kept * state[0], fresh, g);
        p = plus(p, -lr, s.nesterov ? plus(g, momentum, state[0]) : state[0]);
      };
    });
  });
}

} // namespace

REGISTER_DISPATCH(fused_sgd_stub, &sgd_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
