#pragma once

#include <c10/core/AutogradState.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace c10 {

// Tensors created under it never have autograd keys or a version counter.
struct InferenceMode {
  explicit InferenceMode(bool enabled = true)
      : state_(autograd_state), keys_(impl::raw_local_dispatch_key_set) {
    autograd_state.grad_disabled = enabled;
    autograd_state.inference_mode = enabled;
    autograd_state.fw_grad_disabled = enabled;
    auto& local = impl::raw_local_dispatch_key_set;
    local.set_excluded(
        enabled ? local.excluded() | autograd_dispatch_keyset
                : local.excluded() - autograd_dispatch_keyset);
    local.set_included(
        enabled ? local.included() - inplace_or_view_ks : local.included() | inplace_or_view_ks);
  }
  ~InferenceMode() {
    autograd_state = state_;
    impl::raw_local_dispatch_key_set = keys_;
  }
  C10_DISABLE_COPY_AND_ASSIGN(InferenceMode);

  static bool is_enabled() { return autograd_state.inference_mode; }

 private:
  AutogradState state_;
  impl::PODLocalDispatchKeySet keys_;
};

} // namespace c10

namespace at {
using c10::InferenceMode;
} // namespace at
