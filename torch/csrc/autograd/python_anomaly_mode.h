#pragma once
// Anomaly mode with Python's stack: a node records the forward call that created it.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/anomaly_mode.h>

namespace torch::autograd {

// Stores everything in a dictionary, which users see as `grad_fn.metadata`.
class PyAnomalyMetadata final : public AnomalyMetadata {
 public:
  PyAnomalyMetadata();
  ~PyAnomalyMetadata() override;
  void store_stack() override;
  void print_stack(const std::string& current_node_name) override;
  void assign_parent(const c10::intrusive_ptr<Node>& parent_node) override;

  PyObject* dict() const { return dict_; }

 private:
  PyObject* dict_;
};

} // namespace torch::autograd
