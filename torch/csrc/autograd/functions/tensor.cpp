#include <torch/csrc/autograd/functions/tensor.h>

#include <torch/csrc/autograd/saved_variable.h>

#include <ATen/ops/as_strided.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/new_empty_strided.h>
#include <ATen/ops/real.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zero.h>
#include <ATen/ops/zeros.h>

#include <mutex>

namespace torch::autograd {

variable_list CopyBackwards::apply(variable_list&& grads) {
  variable_list inputs(2);
  const Variable& grad = grads[0];
  if (!grad.defined()) {
    return inputs;
  }
  if (task_should_compute_output(0)) {
    inputs[0] = at::zeros(grad.sizes(), grad.options());
  }
  if (task_should_compute_output(1)) {
    // If a real tensor was copied to a complex one, takes the real part.
    const bool complex = c10::isComplexType(src_options.dtype().toScalarType());
    inputs[1] = at::methods::to(grad.is_complex() && !complex ? at::real(grad) : grad, src_options);
  }
  return inputs;
}

CopySlices::CopySlices(
    const Variable& base_var, at::TensorGeometry view_, std::unique_ptr<ViewFunc> view_fn_,
    c10::intrusive_ptr<Node> fn_)
    : base(base_var), view(std::move(view_)), view_fn(std::move(view_fn_)), fn(std::move(fn_)) {
  add_input_metadata(base_var);
  // The gradient of the base now goes where the view's old gradient went.
  add_next_edge(impl::gradient_edge(base_var));
  for (size_t i = 1; i < fn->num_outputs(); ++i) {
    add_next_edge(fn->next_edge(i));
  }
}

namespace {

// While the function of an in-place change runs for the base, it has the base's edge, through which
// it sees what the current backward pass needs from it. Its own edge leads to the view's history: a
// second derivative takes that one, because the function's saved result is of the view's size.
struct BorrowedEdge {
  BorrowedEdge(Node& borrower, const Node& owner) : fn(borrower) {
    if (fn.num_outputs() > 0) {
      own = fn.next_edge(0);
      fn.set_next_edge(0, owner.next_edge(0));
    }
  }
  ~BorrowedEdge() {
    if (fn.num_outputs() > 0) {
      fn.set_next_edge(0, std::move(own));
    }
  }

  Node& fn;
  Edge own;
};

} // namespace

variable_list CopySlices::apply(variable_list&& inputs) {
  const std::lock_guard lock(mutex_);
  variable_list grads(num_outputs());
  const Variable& grad = inputs[0];
  if (!grad.defined()) {
    return grads;
  }
  TORCH_CHECK(fn, ERR_BACKWARD_TWICE);

  // The gradient in the layout of the base, so that the view's part can be located in it.
  const Variable result = grad.unsafeGetTensorImpl()->is_python_dispatch()
      ? at::methods::new_empty_strided(grad, base.sizes(), base.strides())
      : at::empty_strided(base.sizes(), base.strides(), grad.options());
  at::methods::copy_(result, grad);
  const Variable slice = view_fn
      ? (*view_fn)(result)
      : at::as_strided(
            result, view.sizes(), view.strides(), view.storage_offset() - base.storage_offset());

  variable_list slice_grads;
  {
    const BorrowedEdge borrowed(*fn, *this);
    slice_grads = (*fn)({at::clone(slice, at::MemoryFormat::Contiguous)});
  }
  for (size_t i = 0; i < slice_grads.size(); ++i) {
    if (!task_should_compute_output(i)) {
      continue;
    }
    if (i > 0) {
      grads[i] = std::move(slice_grads[i]);
    } else {
      slice_grads[0].defined() ? at::methods::copy_(slice, slice_grads[0])
                               : at::methods::zero_(slice);
      grads[0] = result;
    }
  }
  return grads;
}

void CopySlices::release_variables() {
  const std::lock_guard lock(mutex_);
  fn = nullptr;
}

void CopySlices::will_release_variables() {
  if (fn) {
    fn->will_release_variables();
  }
}

} // namespace torch::autograd
