#pragma once

#include <c10/macros/Macros.h>
#include <torch/csrc/autograd/node.h>

#include <atomic>

namespace torch::autograd {

// Learns of each node that the engine runs, on the thread that runs it.
struct NodeObserver {
  virtual ~NodeObserver() = default;
  // `inputs` are null where the name has a prefix: around hooks and buffers of the node.
  virtual void begin(const Node& node, const char* prefix, const variable_list* inputs) = 0;
  virtual void end() = 0;
};

// The observer of a running profiler; it is never deleted.
TORCH_API extern std::atomic<NodeObserver*> node_observer;

class ObservedNode {
 public:
  ObservedNode(const Node& node, const char* prefix, const variable_list* inputs = nullptr)
      : observer_(node_observer.load(std::memory_order_relaxed)) {
    if (C10_UNLIKELY(observer_ != nullptr)) observer_->begin(node, prefix, inputs);
  }
  ~ObservedNode() {
    if (C10_UNLIKELY(observer_ != nullptr)) observer_->end();
  }
  ObservedNode(const ObservedNode&) = delete;
  ObservedNode& operator=(const ObservedNode&) = delete;

 private:
  NodeObserver* observer_;
};

} // namespace torch::autograd
