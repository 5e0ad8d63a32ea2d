#pragma once

#include <torch/csrc/autograd/node.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <memory>
#include <optional>

namespace torch::autograd {

TORCH_API extern const char* const ERR_BACKWARD_TWICE;

// A tensor that a node saves for backward. An input is saved as it is. An output is saved without
// its place in the graph, because that leads back to the node, and gets it back when it is
// unpacked.
class TORCH_API SavedVariable {
 public:
  SavedVariable() = default;
  SavedVariable(const Variable& variable, bool is_output, bool is_inplace_on_view = false);
  SavedVariable(
      const std::optional<Variable>& variable, bool is_output, bool is_inplace_on_view = false);
  SavedVariable(SavedVariable&&) noexcept = default;
  SavedVariable& operator=(SavedVariable&&) noexcept = default;
  ~SavedVariable();

  // `saved_for` is the node that saved the tensor, needed for outputs. Throws if the tensor has
  // since been changed in place or released. Without grad mode, the place in the graph is left out.
  Variable unpack(const c10::intrusive_ptr<Node>& saved_for = nullptr) const {
    return unpack(saved_for.get());
  }
  Variable unpack(Node* saved_for) const;

  void register_hooks(std::unique_ptr<SavedVariableHooks>&& hooks);
  bool has_hooks() const;
  // The tensor itself; null if hooks keep it.
  std::optional<at::Tensor> get_raw_data() const;
  void reset_data();

 private:
  // Rarely needed: hooks do not keep the graph, so it is stored here; and after an in-place change
  // of a view, an output has a different node from the one that saved it.
  struct Graph {
    std::unique_ptr<SavedVariableHooks> hooks;
    c10::intrusive_ptr<Node> grad_fn;
    c10::intrusive_ptr<Node> grad_accumulator;
    c10::weak_intrusive_ptr<Node> weak_grad_fn;
  };
  void save(const Variable& variable);
  void pack(std::unique_ptr<SavedVariableHooks>&& hooks, const Variable& argument);
  c10::intrusive_ptr<Node> history(Node* saved_for) const;
  void check_version(const Node* grad_fn) const;
  Variable call_unpack_hook() const;

  at::Tensor data_;
  std::unique_ptr<Graph> graph_;
  uint32_t saved_version_ = 0;
  uint32_t output_nr_ = 0;
  bool is_defined_ = false;
  bool saved_original_ = false;
  bool is_leaf_ = false;
  bool is_output_ = false;
  bool requires_grad_ = false;
  bool is_inplace_on_view_ = false;
};

} // namespace torch::autograd
