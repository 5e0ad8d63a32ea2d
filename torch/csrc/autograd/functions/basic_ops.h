#pragma once

#include <torch/csrc/autograd/function.h>

#include <string>
#include <utility>

namespace torch::autograd {

// Throws in backward.
struct TORCH_API Error : Node {
  explicit Error(std::string msg, edge_list&& next_edges = {})
      : Node(UINT64_MAX, std::move(next_edges)), msg(std::move(msg)) {}
  variable_list apply(variable_list&& inputs) override;

  std::string msg;
};

// For operators without a derivative.
struct TORCH_API NotImplemented final : Error {
  NotImplemented() : Error({}) {}
  explicit NotImplemented(const std::string& forward_fn, edge_list&& next_edges = {})
      : Error({}, std::move(next_edges)), operator_name(forward_fn) {}
  variable_list apply(variable_list&& inputs) override;

  std::string operator_name;
};

// Returns its inputs in forward, so that only a backward pass through them throws.
struct TORCH_API DelayedError final : Node {
  DelayedError(std::string msg, int64_t num_inputs);
  variable_list apply(variable_list&& inputs) override;

  std::string msg;
};

// Makes the gradient undefined in backward.
struct TORCH_API UndefinedGrad final : Node {
  UndefinedGrad() { add_input_metadata(undefined_input()); }
  variable_list apply(variable_list&& inputs) override;
};
struct TORCH_API UndefinedGradBackward final : Node {
  using Node::Node;
  variable_list apply(variable_list&& inputs) override;
};

// The start of a backward pass with several roots.
struct TORCH_API GraphRoot final : Node {
  GraphRoot(edge_list functions, variable_list inputs);
  variable_list apply(variable_list&& inputs) override;

  variable_list outputs;
};

struct TORCH_API Identity final : Node {
  variable_list apply(variable_list&& inputs) override { return std::move(inputs); }
};

} // namespace torch::autograd
