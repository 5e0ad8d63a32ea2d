#include <torch/csrc/autograd/functions/basic_ops.h>

#include <torch/csrc/autograd/functions/utils.h>

#include <ATen/core/ATenOpList.h>
#include <ATen/ops/clone.h>

namespace torch::autograd {

variable_list Error::apply(variable_list&&) {
  TORCH_CHECK(false, msg);
}

variable_list NotImplemented::apply(variable_list&&) {
  const std::string_view list = at::selected_op_list();
  TORCH_CHECK(
      list.empty(), "derivative for ", operator_name,
      " is not implemented in this build: "
      "SELECTED_OP_LIST=",
      list,
      " does not have the operator with `training: True`. Record the "
      "program with its backward pass, or add that line to the list, and build again.");
  TORCH_CHECK(false, "derivative for ", operator_name, " is not implemented");
}

DelayedError::DelayedError(std::string msg, int64_t num_inputs) : msg(std::move(msg)) {
  for (int64_t i = 0; i < num_inputs; ++i) {
    add_input_metadata(undefined_input());
  }
}

namespace {

// Takes `inputs` out of the graph, then puts them below the node that `make` returns for their
// edges.
template <typename Make>
variable_list pass_on(const variable_list& inputs, Make&& make) {
  variable_list outputs;
  for (const Variable& input : inputs) {
    outputs.push_back(input.defined() ? Variable(input.tensor_data()) : Variable());
  }
  if (c10::GradMode::is_enabled() && any_variable_requires_grad(inputs)) {
    set_history(outputs, make(collect_next_edges(inputs)));
  }
  return outputs;
}

} // namespace

variable_list DelayedError::apply(variable_list&& inputs) {
  return pass_on(inputs, [this](edge_list&& edges) -> c10::intrusive_ptr<Node> {
    return c10::make_intrusive<Error>(msg, std::move(edges));
  });
}

variable_list UndefinedGrad::apply(variable_list&& inputs) {
  variable_list outputs = pass_on(inputs, [](edge_list&& edges) -> c10::intrusive_ptr<Node> {
    return c10::make_intrusive<UndefinedGradBackward>(std::move(edges));
  });
  for (Variable& output : outputs) {
    output = output.defined() ? at::clone(output) : output;
  }
  return outputs;
}

variable_list UndefinedGradBackward::apply(variable_list&& inputs) {
  return variable_list(inputs.size());
}

GraphRoot::GraphRoot(edge_list functions, variable_list inputs)
    : Node(std::move(functions)), outputs(std::move(inputs)) {
  for (const Variable& output : outputs) {
    add_input_metadata(output);
  }
}

variable_list GraphRoot::apply(variable_list&&) {
  return outputs;
}

} // namespace torch::autograd
