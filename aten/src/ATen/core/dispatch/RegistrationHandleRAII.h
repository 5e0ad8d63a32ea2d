#pragma once

#include <functional>
#include <utility>

namespace c10 {

// Undoes a registration when it is destroyed.
class RegistrationHandleRAII final {
 public:
  RegistrationHandleRAII() = default;
  explicit RegistrationHandleRAII(std::function<void()> undo) : undo_(std::move(undo)) {}
  RegistrationHandleRAII(RegistrationHandleRAII&& other) noexcept
      : undo_(std::exchange(other.undo_, nullptr)) {}
  RegistrationHandleRAII& operator=(RegistrationHandleRAII&& other) noexcept {
    std::swap(undo_, other.undo_);
    return *this;
  }
  ~RegistrationHandleRAII() {
    if (undo_) {
      undo_();
    }
  }

 private:
  std::function<void()> undo_;
};

} // namespace c10
