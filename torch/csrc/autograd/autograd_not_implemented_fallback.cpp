// The default derivative of operators defined at run time: calls work as if there were no
// gradients, but a backward pass through their results warns.

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <ATen/core/ivalue.h>

namespace torch::autograd {

namespace {

void warn_not_implemented(const std::string& op_name) {
  TORCH_WARN(
      op_name,
      ": an autograd kernel was not registered to the Autograd key(s) but we are trying to "
      "backprop through it. This may lead to silently incorrect behavior. This behavior is "
      "deprecated and will be removed in a future version of PyTorch. If your operator is "
      "differentiable, please ensure you have registered an autograd kernel to the correct "
      "Autograd key (e.g. DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your "
      "operator is not differentiable, or to squash this warning and use the previous behavior, "
      "please register torch::CppFunction::makeFallthrough() to DispatchKey::Autograd.");
}

} // namespace

// Warns in backward and returns no gradients.
struct WarnNotImplemented final : Node {
  WarnNotImplemented(std::string op_name, edge_list&& next_edges)
      : Node(std::move(next_edges)), op_name(std::move(op_name)) {}
  variable_list apply(variable_list&&) override {
    warn_not_implemented(op_name);
    return variable_list(num_outputs());
  }

  std::string op_name;
};

namespace {

template <typename F>
void visit_tensors_of(const c10::IValue& value, F&& visit) {
  if (value.isTensor()) {
    visit(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorList()) {
      visit(tensor);
    }
  } else if (value.isGenericList()) {
    for (const c10::IValue& element : value.toGenericList()) {
      visit_tensors_of(element, visit);
    }
  }
}

variable_list tensors_of(const c10::IValue* values, size_t count) {
  variable_list tensors;
  for (size_t i = 0; i < count; ++i) {
    visit_tensors_of(values[i], [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  }
  return tensors;
}

void warn_in_backward(const at::Tensor& tensor, const std::string& op_name) {
  tensor.register_hook([op_name](const at::Tensor&) { warn_not_implemented(op_name); });
}

// The kernels below may have recorded the result themselves by calling other operators. Then it
// keeps its history, and a hook warns. An argument changed in place keeps its previous history,
// because the effect of the change on the history of its base is unknown.
void mark_output(
    const at::Tensor& output, bool changed_in_place, const c10::intrusive_ptr<Node>& grad_fn,
    const std::string& op_name) {
  if (!output.defined() || !isDifferentiableType(output.scalar_type())) {
    return;
  }
  if (!output.requires_grad()) {
    if (!changed_in_place) {
      set_history(output, grad_fn);
    }
    return;
  }
  warn_in_backward(output, op_name);
  if (changed_in_place && output.is_view() && output._base().requires_grad()) {
    warn_in_backward(output._base(), op_name);
  }
}

void autograd_not_implemented_fallback(
    const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const size_t num_arguments = schema.arguments().size();
  const variable_list inputs =
      tensors_of(stack->data() + (stack->size() - num_arguments), num_arguments);
  c10::intrusive_ptr<Node> grad_fn;
  if (compute_requires_grad(inputs)) {
    grad_fn = c10::make_intrusive<WarnNotImplemented>(schema.name(), collect_next_edges(inputs));
  }
  op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
  if (!grad_fn) {
    return;
  }
  const auto& returns = schema.returns();
  const c10::IValue* results = stack->data() + (stack->size() - returns.size());
  for (size_t i = 0; i < returns.size(); ++i) {
    const bool changed_in_place = returns[i].alias && returns[i].alias->is_write;
    visit_tensors_of(results[i], [&](const at::Tensor& output) {
      mark_output(output, changed_in_place, grad_fn, schema.name());
    });
  }
}

TORCH_LIBRARY_IMPL(_, Autograd, m) {
  const c10::DispatchKeySet served = c10::getRuntimeDispatchKeySet(c10::DispatchKey::Autograd);
  for (uint16_t i = 1; i < c10::num_runtime_entries; ++i) {
    const auto key = static_cast<c10::DispatchKey>(i);
    if (!c10::isRuntimeDispatchKey(key) || !served.has(key)) {
      continue;
    }
    m.fallback(torch::dispatch(
        key, torch::CppFunction::makeFromBoxedFunction<&autograd_not_implemented_fallback>()));
  }
}

} // namespace

} // namespace torch::autograd
