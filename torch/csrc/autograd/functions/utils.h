#pragma once

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

// Whether to record a call: gradients are enabled, and some argument requires one.
template <typename... Args>
C10_ALWAYS_INLINE bool compute_requires_grad(const Args&... args) {
  if (!c10::GradMode::is_enabled()) {
    return false;
  }
  bool requires_grad = false;
  auto look = [&requires_grad](const at::Tensor& tensor) __attribute__((always_inline)) {
    requires_grad = requires_grad || tensor.requires_grad();
  };
  (detail::visit_tensors(look, args), ...);
  return requires_grad;
}

// Makes `grad_fn` the node of an operator's output if the output can have a gradient.
TORCH_API void set_history(const at::Tensor& variable, const c10::intrusive_ptr<Node>& grad_fn);
TORCH_API void set_history(at::TensorList variables, const c10::intrusive_ptr<Node>& grad_fn);
inline void set_history(
    const std::vector<Variable>& variables, const c10::intrusive_ptr<Node>& grad_fn) {
  set_history(at::TensorList(variables), grad_fn);
}

} // namespace torch::autograd
