#include <torch/csrc/autograd/functions/utils.h>

namespace torch::autograd {

void set_history(const at::Tensor& variable, const c10::intrusive_ptr<Node>& grad_fn) {
  // An integral output (an index or a cast) has no gradient.
  if (C10_UNLIKELY(!variable.defined() || !isDifferentiableType(variable.scalar_type()))) {
    grad_fn->add_input_metadata(Node::undefined_input());
    return;
  }
  const uint32_t output_nr = grad_fn->add_input_metadata(variable);
  impl::set_gradient_edge(variable, {grad_fn, output_nr});
}

void set_history(at::TensorList variables, const c10::intrusive_ptr<Node>& grad_fn) {
  for (const at::Tensor& variable : variables) {
    set_history(variable, grad_fn);
  }
}

} // namespace torch::autograd
