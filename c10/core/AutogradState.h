#pragma once

#include <c10/macros/Macros.h>

namespace c10 {

// Per-thread autograd switches, stored inverted so that zero-initialized memory is the default.
struct AutogradState {
  bool grad_disabled;
  bool inference_mode;
  bool fw_grad_disabled;
  bool multithreading_disabled;
  // Whether tensors saved for backward go through hooks.
  bool saved_tensor_hooks;
};

extern C10_API constinit thread_local AutogradState autograd_state C10_FAST_TLS;

} // namespace c10
