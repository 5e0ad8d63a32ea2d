#pragma once

#include <torch/csrc/autograd/variable.h>

#include <optional>

namespace torch::autograd {

// Adds the gradients of `tensors` to the .grad of the leaves that they depend on or, when given, of
// `inputs` alone. `grad_tensors` are the gradients to begin with, one each; tensors of one element
// do without. `retain_graph` keeps what the graph has saved; it defaults to `create_graph`, which
// records the backward pass itself.
TORCH_API void backward(
    const variable_list& tensors, const variable_list& grad_tensors = {},
    std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
    const variable_list& inputs = {});

// The gradients of the sum of `outputs` with respect to `inputs`. One that does not depend on an
// input is an error, or undefined with `allow_unused`.
TORCH_API variable_list grad(
    const variable_list& outputs, const variable_list& inputs,
    const variable_list& grad_outputs = {}, std::optional<bool> retain_graph = std::nullopt,
    bool create_graph = false, bool allow_unused = false);

} // namespace torch::autograd
