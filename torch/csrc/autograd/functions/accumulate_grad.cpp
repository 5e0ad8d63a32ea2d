#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <ATen/ops/add.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/GradMode.h>

#include <mutex>

namespace torch::autograd {

namespace {

thread_local bool grad_layout_enforced = true;

// A leaf that is dense in some dimension order gets a gradient in the same order; other leaves get
// a row-major one.
bool has_layout_for(const Variable& grad, const Variable& leaf) {
  return leaf.is_non_overlapping_and_dense() ? grad.strides() == leaf.strides()
                                             : grad.is_contiguous();
}

Variable copy_with_layout_for(const Variable& grad, const Variable& leaf) {
  if (!leaf.is_non_overlapping_and_dense()) {
    return at::clone(grad, at::MemoryFormat::Contiguous);
  }
  const Variable copy = at::empty_strided(leaf.sizes(), leaf.strides(), grad.options());
  at::methods::copy_(copy, grad);
  return copy;
}

// A dimension of size one may have any stride.
bool same_order(const Variable& grad, const Variable& leaf) {
  if (has_layout_for(grad, leaf)) {
    return true;
  }
  if (!leaf.is_non_overlapping_and_dense()) {
    return false;
  }
  for (int64_t d = 0; d < grad.dim(); ++d) {
    if (grad.size(d) != 1 && grad.stride(d) != leaf.stride(d)) {
      return false;
    }
  }
  return true;
}

// Whether the gradient's memory can become that of .grad: it has no other references, except
// through its base if it is a view, and for hooks that run after the accumulation.
bool can_become_grad(const Variable& grad, const Variable& leaf, size_t references) {
  if (!impl::is_tensor_stealable(grad, references) || grad.requires_grad() ||
      (grad_layout_enforced && !same_order(grad, leaf))) {
    return false;
  }
  const size_t owners = grad.storage().use_count();
  return owners == 1 || (owners == 2 && grad.is_view() && grad._base().use_count() == 1);
}

Variable share(const Variable& grad) {
  return Variable(grad.unsafeGetTensorImpl()->shallow_copy_and_detach(
      c10::VariableVersion(0u), /*allow_tensor_metadata_change=*/true));
}

void accumulate(const Variable& leaf, Variable&& grad, size_t references) {
  Variable& sum = leaf.mutable_grad();
  const bool record = c10::GradMode::is_enabled();
  if (!sum.defined() && grad.unsafeGetTensorImpl()->is_python_dispatch()) {
    // The layout is the subclass's affair. Two leaves may not share memory.
    sum = record ? grad : grad.use_count() <= references ? at::detach(grad) : at::clone(grad);
  } else if (!sum.defined()) {
    if (!record && can_become_grad(grad, leaf, references)) {
      sum = grad.is_view() || references > 1 ? share(grad) : std::move(grad);
    } else {
      sum = copy_with_layout_for(grad, leaf);
    }
  } else if (
      record || sum.unsafeGetTensorImpl()->is_python_dispatch() ||
      grad.unsafeGetTensorImpl()->is_python_dispatch()) {
    sum = at::add(sum, grad);
  } else {
    sum += grad;
  }
}

} // namespace

AccumulateGrad::AccumulateGrad(Variable variable_)
    : Node(/*sequence_nr=*/UINT64_MAX), variable(std::move(variable_)) {
  add_input_metadata(variable);
  mutable_input_metadata(0).set_grad_dtype(impl::grad_dtype(variable));
}

bool is_grad_layout_enforced() {
  return grad_layout_enforced;
}

void set_grad_layout_enforced(bool enforced) {
  grad_layout_enforced = enforced;
}

void AccumulateGrad::release_resources() {
  Node::release_resources();
  variable.reset();
}

variable_list AccumulateGrad::apply(variable_list&& grads) {
  if (!grads[0].defined()) {
    return {};
  }
  TORCH_CHECK(
      !impl::grad_fn_unsafe(variable), "leaf variable has been moved into the graph interior");
  if (!variable.requires_grad()) {
    return {};
  }
  {
    // Several backward passes may reach the same leaf at once.
    const std::lock_guard lock(mutex_);
    const NodeExtras* extras = extras_or_null();
    accumulate(variable, std::move(grads[0]), extras && !extras->post_hooks.empty() ? 2 : 1);
  }
  if (PostAccumulateGradHook* hook = tensor_post_acc_grad_hooks()) {
    (*hook)(variable);
  }
  return {};
}

} // namespace torch::autograd
