#pragma once

#include <c10/macros/Macros.h>

#include <atomic>
#include <cstdint>

namespace c10 {

// A four-byte mutex for objects that exist in large numbers: one atomic exchange to lock, one to
// unlock, and the system's futex when a thread has to wait.
class SmallMutex {
 public:
  SmallMutex() = default;
  C10_DISABLE_COPY_AND_ASSIGN(SmallMutex);

  void lock() {
    uint32_t free = kFree;
    if (C10_UNLIKELY(!state_.compare_exchange_strong(free, kHeld, std::memory_order_acquire))) {
      while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
        state_.wait(kAwaited, std::memory_order_relaxed);
      }
    }
  }
  void unlock() {
    if (C10_UNLIKELY(state_.exchange(kFree, std::memory_order_release) == kAwaited)) {
      state_.notify_one();
    }
  }

 private:
  enum State : uint32_t { kFree, kHeld, kAwaited };
  std::atomic<uint32_t> state_{kFree};
};

} // namespace c10
