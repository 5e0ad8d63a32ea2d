#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>

namespace at::native {

// One parameter with its gradient and optimizer state, as arrays of `count` elements with the same
// memory order.
struct OptimizerArrays {
  static constexpr int kMostStates = 3;

  void* parameter;
  const void* gradient;
  void* states[kMostStates];
  int64_t count;
  double step; // the number of this step, starting at 1
};

// The settings, with the names that torch.optim uses.
struct SgdSettings {
  double weight_decay, momentum, lr, dampening;
  bool nesterov, maximize, first_step;
};
struct AdamSettings {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize, decoupled;
};
struct AdagradSettings {
  double lr, lr_decay, weight_decay, eps;
  bool maximize;
};
struct RmspropSettings {
  double lr, alpha, eps, weight_decay, momentum;
  bool centered, maximize;
};
struct AdadeltaSettings {
  double lr, rho, eps, weight_decay;
  bool maximize;
};

template <typename Settings>
using fused_step_fn =
    void (*)(c10::ArrayRef<OptimizerArrays>, c10::ScalarType dtype, const Settings&);

// States: momentum_buffer (if momentum).
DECLARE_DISPATCH(fused_step_fn<SgdSettings>, fused_sgd_stub);
// States: exp_avg, exp_avg_sq, max_exp_avg_sq (if amsgrad).
DECLARE_DISPATCH(fused_step_fn<AdamSettings>, fused_adam_stub);
// States: sum.
DECLARE_DISPATCH(fused_step_fn<AdagradSettings>, fused_adagrad_stub);
// States: square_avg, grad_avg (if centered), momentum_buffer (if momentum).
DECLARE_DISPATCH(fused_step_fn<RmspropSettings>, fused_rmsprop_stub);
// States: square_avg, acc_delta.
DECLARE_DISPATCH(fused_step_fn<AdadeltaSettings>, fused_adadelta_stub);

} // namespace at::native
