#pragma once

#include <c10/core/AutogradState.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

// The thread-local settings that operators read, captured to run work for one thread on another.
class ThreadLocalState {
 public:
  ThreadLocalState()
      : autograd_(c10::autograd_state), keys_(c10::impl::raw_local_dispatch_key_set) {}

  void set_grad_mode(bool enabled) { autograd_.grad_disabled = !enabled; }
  static void setThreadLocalState(const ThreadLocalState& state) {
    c10::autograd_state = state.autograd_;
    c10::impl::raw_local_dispatch_key_set = state.keys_;
  }

 private:
  c10::AutogradState autograd_;
  c10::impl::PODLocalDispatchKeySet keys_;
};

class ThreadLocalStateGuard {
 public:
  explicit ThreadLocalStateGuard(const ThreadLocalState& state) {
    ThreadLocalState::setThreadLocalState(state);
  }
  ~ThreadLocalStateGuard() { ThreadLocalState::setThreadLocalState(previous_); }
  C10_DISABLE_COPY_AND_ASSIGN(ThreadLocalStateGuard);

 private:
  ThreadLocalState previous_;
};

} // namespace at
