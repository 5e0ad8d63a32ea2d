#pragma once

#include <torch/csrc/lazy/core/ir.h>

#include <string>
#include <vector>

namespace torch::lazy {

// What has to run to compute some values: the nodes in an order in which each follows its operands,
// down to data. Every value has a slot: first those of the arguments, then the results of the
// steps.
struct Graph {
  struct Step {
    const Node* node;
    std::vector<size_t> operands;
    size_t first_slot;
    // The first of the node's numbers among all.
    size_t first_scalar;
  };

  // Graphs with equal hashes compute the same function of their arguments and numbers.
  TORCH_API static Graph of(const std::vector<Value>& outputs);

  std::vector<Value> arguments;
  std::vector<at::Scalar> scalars;
  std::vector<Step> steps;
  std::vector<size_t> outputs;
  size_t slots = 0;
  Hash hash;
};

// The graph as text, one line for each node, and in the language of Graphviz.
TORCH_API std::string graph_text(const Graph& graph);
TORCH_API std::string graph_dot(const Graph& graph);

} // namespace torch::lazy
