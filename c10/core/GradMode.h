#pragma once

#include <c10/core/AutogradState.h>

namespace c10 {

struct GradMode {
  static bool is_enabled() { return !autograd_state.grad_disabled; }
  static void set_enabled(bool enabled) { autograd_state.grad_disabled = !enabled; }
};

struct AutoGradMode {
  explicit AutoGradMode(bool enabled) : previous_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  ~AutoGradMode() { GradMode::set_enabled(previous_); }
  C10_DISABLE_COPY_AND_ASSIGN(AutoGradMode);

 private:
  bool previous_;
};

struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

struct AutoFwGradMode {
  explicit AutoFwGradMode(bool enabled) : previous_(!autograd_state.fw_grad_disabled) {
    autograd_state.fw_grad_disabled = !enabled;
  }
  ~AutoFwGradMode() { autograd_state.fw_grad_disabled = !previous_; }
  C10_DISABLE_COPY_AND_ASSIGN(AutoFwGradMode);

 private:
  bool previous_;
};

} // namespace c10

namespace at {
using c10::AutoGradMode;
using c10::GradMode;
using c10::NoGradGuard;
} // namespace at
