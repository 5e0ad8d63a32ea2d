#pragma once

#include <c10/macros/Export.h>
#include <c10/util/intrusive_ptr.h>

#include <atomic>
#include <string>

namespace torch::autograd {

struct Node;

// Whether nodes record where they were created, and whether backward checks for NaN.
struct TORCH_API AnomalyMode {
  static bool is_enabled() { return enabled_.load(std::memory_order_relaxed); }
  static bool should_check_nan() { return check_nan_.load(std::memory_order_relaxed); }
  static void set_enabled(bool enabled, bool check_nan = true) {
    enabled_.store(enabled, std::memory_order_relaxed);
    check_nan_.store(check_nan, std::memory_order_relaxed);
  }

 private:
  static std::atomic<bool> enabled_;
  static std::atomic<bool> check_nan_;
};

class TORCH_API DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(bool check_nan = true);
  ~DetectAnomalyGuard();
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;

 private:
  bool was_enabled_;
  bool did_check_nan_;
};

// Where a node was created. Without Python there is no stack to show; the Python engine uses a
// subclass.
struct TORCH_API AnomalyMetadata {
  virtual ~AnomalyMetadata();
  virtual void store_stack();
  virtual void print_stack(const std::string& current_node_name);
  virtual void assign_parent(const c10::intrusive_ptr<Node>& parent_node);

 private:
  std::string traceback_;
  c10::intrusive_ptr<Node> parent_;
};

} // namespace torch::autograd
