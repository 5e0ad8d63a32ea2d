#include <torch/csrc/autograd/autograd.h>

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <ATen/ops/ones_like.h>
#include <c10/core/GradMode.h>

namespace torch::autograd {

namespace {

// The initial gradients: ones where none are given.
variable_list root_gradients(
    const variable_list& outputs, const variable_list& grads, bool create_graph) {
  TORCH_CHECK(
      grads.empty() || grads.size() == outputs.size(), "got ", outputs.size(), " tensors and ",
      grads.size(), " gradients");
  variable_list result;
  result.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Variable& output = outputs[i];
    const Variable grad = grads.empty() ? Variable() : grads[i];
    if (grad.defined() || !output.requires_grad()) {
      result.push_back(grad);
      continue;
    }
    TORCH_CHECK(output.numel() == 1, "grad can be implicitly created only for scalar outputs");
    TORCH_CHECK(
        c10::isFloatingType(output.scalar_type()),
        "grad can be computed only for real scalar outputs but got ", output.scalar_type());
    const c10::AutoGradMode grad_mode(create_graph);
    result.push_back(at::ones_like(output));
  }
  return result;
}

edge_list root_edges(const variable_list& tensors) {
  edge_list roots;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Edge edge = impl::gradient_edge(tensors[i]);
    TORCH_CHECK(
        edge.is_valid(), "element ", i,
        " of tensors does not require grad and does not have a "
        "grad_fn");
    roots.push_back(std::move(edge));
  }
  return roots;
}

edge_list input_edges(const variable_list& inputs, bool accumulate_grad) {
  edge_list edges;
  for (const Variable& input : inputs) {
    TORCH_CHECK(input.requires_grad(), "One of the differentiated Tensors does not require grad");
    if (accumulate_grad) {
      input.retain_grad();
    }
    // A leaf without an accumulator is in no graph, so its edge leads nowhere.
    c10::intrusive_ptr<Node> function = input.grad_fn();
    if (!function) {
      function = impl::try_get_grad_accumulator(input);
    }
    if (!function) {
      function = c10::make_intrusive<Identity>();
    }
    edges.emplace_back(std::move(function), static_cast<uint32_t>(input.output_nr()));
  }
  return edges;
}

variable_list run(
    const variable_list& outputs, const variable_list& grads, std::optional<bool> keep_graph,
    bool create_graph, const variable_list& inputs, bool accumulate_grad) {
  return Engine::get_default_engine().execute(
      root_edges(outputs), root_gradients(outputs, grads, create_graph),
      keep_graph.value_or(create_graph), create_graph, accumulate_grad,
      input_edges(inputs, accumulate_grad));
}

} // namespace

void backward(
    const variable_list& tensors, const variable_list& grad_tensors,
    std::optional<bool> retain_graph, bool create_graph, const variable_list& inputs) {
  if (!tensors.empty()) {
    run(tensors, grad_tensors, retain_graph, create_graph, inputs, /*accumulate_grad=*/true);
  }
}

variable_list grad(
    const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs,
    std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  TORCH_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  variable_list grads =
      run(outputs, grad_outputs, retain_graph, create_graph, inputs, /*accumulate_grad=*/false);
  for (size_t i = 0; i < grads.size(); ++i) {
    TORCH_CHECK(
        grads[i].defined() || allow_unused, "The differentiated Tensor at index ", i,
        " appears to not have been used in the graph. Set allow_unused=True if this is the desired "
        "behavior.");
  }
  return grads;
}

} // namespace torch::autograd
