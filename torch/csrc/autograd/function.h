#pragma once

#include <torch/csrc/autograd/node.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <optional>
#include <utility>

namespace torch::autograd {

namespace detail {

template <typename T>
inline constexpr bool is_optional_v = false;
template <typename T>
inline constexpr bool is_optional_v<std::optional<T>> = true;

// Calls `visit` with each tensor in an operator's argument; an absent optional tensor is passed as
// undefined. Arguments that are not tensors are skipped.
template <typename Visit, typename T>
C10_ALWAYS_INLINE void visit_tensors(Visit&& visit, const T& argument) {
  if constexpr (std::is_base_of_v<at::TensorBase, T>) {
    visit(argument);
  } else if constexpr (is_optional_v<T>) {
    if constexpr (std::is_base_of_v<at::TensorBase, typename T::value_type>) {
      visit(argument ? *argument : at::Tensor());
    }
  } else if constexpr (requires {
                         argument.begin();
                         *argument.begin();
                       }) {
    using Element = std::remove_cvref_t<decltype(*argument.begin())>;
    if constexpr (std::is_base_of_v<at::TensorBase, Element> || is_optional_v<Element>) {
      for (const auto& element : argument) {
        visit_tensors(visit, element);
      }
    }
  }
}

} // namespace detail

inline bool any_variable_requires_grad(at::TensorList variables) {
  for (const Variable& variable : variables) {
    if (variable.defined() && variable.requires_grad()) {
      return true;
    }
  }
  return false;
}

// The edges along which the gradients of the arguments flow.
template <typename... Variables>
edge_list collect_next_edges(const Variables&... variables) {
  edge_list edges;
  auto add = [&edges](const at::Tensor& variable) {
    edges.emplace_back(variable.defined() ? impl::gradient_edge(variable) : Edge());
  };
  (detail::visit_tensors(add, variables), ...);
  return edges;
}

// Creates a node whose outputs are the gradients of these arguments.
template <typename T, typename... Variables>
c10::intrusive_ptr<T> make_node(const Variables&... variables) {
  auto node = c10::make_intrusive<T>();
  Node& base = *node;
  auto add = [&base](const at::Tensor& variable) {
    if (variable.defined()) {
      base.update_topological_nr(base.next_edges_.emplace_back(impl::gradient_edge(variable)));
    } else {
      base.next_edges_.emplace_back();
    }
  };
  (detail::visit_tensors(add, variables), ...);
  return node;
}
template <typename T>
c10::intrusive_ptr<T> make_node(edge_list&& next_edges) {
  auto node = c10::make_intrusive<T>();
  node->set_next_edges(std::move(next_edges));
  return node;
}

inline void create_gradient_edge(Variable& variable, c10::intrusive_ptr<Node> function) {
  const uint32_t input_nr = function->add_input_metadata(variable);
  impl::set_gradient_edge(variable, {std::move(function), input_nr});
}

} // namespace torch::autograd
