#include <torch/csrc/autograd/anomaly_mode.h>

#include <torch/csrc/autograd/node.h>

namespace torch::autograd {

constinit std::atomic<bool> AnomalyMode::enabled_{false};
constinit std::atomic<bool> AnomalyMode::check_nan_{true};

DetectAnomalyGuard::DetectAnomalyGuard(bool check_nan)
    : was_enabled_(AnomalyMode::is_enabled()), did_check_nan_(AnomalyMode::should_check_nan()) {
  TORCH_WARN_ONCE(
      "This mode should be enabled only for debugging as the different tests will slow down your "
      "program execution.");
  AnomalyMode::set_enabled(true, check_nan);
}
DetectAnomalyGuard::~DetectAnomalyGuard() {
  AnomalyMode::set_enabled(was_enabled_, did_check_nan_);
}

AnomalyMetadata::~AnomalyMetadata() = default;

void AnomalyMetadata::store_stack() {
  traceback_ = c10::get_backtrace();
}

void AnomalyMetadata::print_stack(const std::string& current_node_name) {
  TORCH_WARN(
      "Error detected in ", current_node_name,
      ". Traceback of forward call that caused the "
      "error:\n",
      traceback_);
  if (parent_ && parent_->metadata() != this) {
    TORCH_WARN("Previous calculation was induced by ", parent_->name(), ".");
    parent_->metadata()->print_stack(parent_->name());
  }
}

void AnomalyMetadata::assign_parent(const c10::intrusive_ptr<Node>& parent_node) {
  parent_ = parent_node;
}

} // namespace torch::autograd
