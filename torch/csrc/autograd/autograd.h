#pragma once

#include <torch/csrc/autograd/variable.h>

#include <optional>

namespace torch::autograd {

// Adds the gradients of `tensors` to the .grad of the leaves they depend on or, if given, only of
// `inputs`. `grad_tensors` are the initial gradients, one per tensor; tensors of one element do not
// need one. `retain_graph` keeps the tensors saved in the graph; it defaults to `create_graph`,
// which records the backward pass itself.
TORCH_API void backward(
    const variable_list& tensors, const variable_list& grad_tensors = {},
    std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
    const variable_list& inputs = {});

// Returns the gradients of the sum of `outputs` with respect to `inputs`. If an output does not
// depend on an input, that is an error or, with `allow_unused`, gives an undefined gradient.
TORCH_API variable_list grad(
    const variable_list& outputs, const variable_list& inputs,
    const variable_list& grad_outputs = {}, std::optional<bool> retain_graph = std::nullopt,
    bool create_graph = false, bool allow_unused = false);

} // namespace torch::autograd
