#pragma once

#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <memory>

namespace torch::autograd {

struct Node;

// An input of a node: the destination of a gradient.
struct Edge {
  Edge() noexcept = default;
  Edge(c10::intrusive_ptr<Node> function, uint32_t input_nr) noexcept
      : function(std::move(function)), input_nr(input_nr) {}

  bool is_valid() const noexcept { return function != nullptr; }
  bool operator==(const Edge& other) const noexcept {
    return function == other.function && input_nr == other.input_nr;
  }

  c10::intrusive_ptr<Node> function;
  uint32_t input_nr = 0;
};

} // namespace torch::autograd

template <>
struct std::hash<torch::autograd::Edge> {
  size_t operator()(const torch::autograd::Edge& edge) const noexcept {
    return std::hash<const void*>()(edge.function.get()) * 31 + edge.input_nr;
  }
};
