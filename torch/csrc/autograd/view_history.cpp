// Views and in-place changes: how a view follows changes of its base, and a base those of its
// views.

#include <torch/csrc/autograd/functions/tensor.h>
#include <torch/csrc/autograd/variable.h>

#include <ATen/ops/as_strided.h>
#include <ATen/ops/detach.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <mutex>

namespace torch::autograd {

namespace {

const c10::intrusive_ptr<Node> no_function;

// as_strided with the geometry of a view, for chains in which another link needs a ViewFunc.
std::unique_ptr<ViewFunc> as_strided_func(const at::Tensor& view) {
  return make_view_func([geometry = at::TensorGeometry(view)](const at::Tensor& base) {
    return at::as_strided(base, geometry.sizes(), geometry.strides(), geometry.storage_offset());
  });
}

std::unique_ptr<ViewFunc> chain(std::unique_ptr<ViewFunc> first, std::unique_ptr<ViewFunc> then) {
  struct Chain final : ViewFunc {
    Chain(std::unique_ptr<ViewFunc> first, std::unique_ptr<ViewFunc> then)
        : first_(std::move(first)), then_(std::move(then)) {}
    at::Tensor operator()(const at::Tensor& base) const override {
      return (*then_)((*first_)(base));
    }
    std::unique_ptr<ViewFunc> clone() const override {
      return std::make_unique<Chain>(first_->clone(), then_->clone());
    }
    std::unique_ptr<ViewFunc> first_;
    std::unique_ptr<ViewFunc> then_;
  };
  return std::make_unique<Chain>(std::move(first), std::move(then));
}

// A tensor's hooks watch its current gradient, not the one before an in-place change, so they stay
// with the old node; only retain_grad's moves to the new one. `old` is the tensor's previous node.
void move_hooks(const at::TensorBase& self, const c10::intrusive_ptr<Node>& old, uint32_t old_nr) {
  AutogradMeta& meta = *impl::get_autograd_meta(self);
  if (meta.extras_ && meta.extras_->cpp_hooks) {
    impl::create_cpp_hook(self);
  } else if (meta.extras_) {
    meta.extras_->hooks.clear();
  }
  if (meta.retains_grad_ && old) {
    if (auto hook = old->pop_retains_grad_hook(old_nr)) {
      meta.grad_fn_->add_retains_grad_hook(std::move(hook), meta.output_nr_);
    }
  }
}

void change_gradient_edge(const Variable& self, Edge edge) {
  const AutogradMeta* meta = impl::get_autograd_meta(self);
  const c10::intrusive_ptr<Node> old = meta ? meta->grad_fn_ : nullptr;
  const uint32_t old_nr = meta ? meta->output_nr_ : 0;
  impl::set_gradient_edge(self, std::move(edge));
  if (meta) {
    move_hooks(self, old, old_nr);
  }
}

// Recomputes the view from the current base and takes over the new view's node. If the base was
// detached, a view that had a node keeps one that passes no gradient on.
void renew_grad_fn(const at::TensorBase& self, DifferentiableViewMeta& view) {
  const c10::AutoGradMode grad_mode(true);
  const c10::impl::ForceDispatchKeyGuard all_kernels(
      c10::default_included_set, c10::default_excluded_set);
  const bool detached = !view.base_.requires_grad();
  const at::Tensor base = detached ? at::detach(view.base_).set_requires_grad(true) : view.base_;
  const at::Tensor again = view.view_fn_
      ? (*view.view_fn_)(base)
      : at::as_strided(base, self.sizes(), self.strides(), self.storage_offset());
  if (detached && !view.view_fn_) again.grad_fn()->set_next_edge(0, Edge());
  change_gradient_edge(at::Tensor(self), impl::gradient_edge(again));
}

} // namespace

ViewFunc::~ViewFunc() = default;

DifferentiableViewMeta::DifferentiableViewMeta(
    at::TensorImpl* self, Variable base, std::unique_ptr<ViewFunc> view_fn,
    CreationMeta creation_meta)
    : base_(std::move(base)), view_fn_(std::move(view_fn)), creation_meta_(creation_meta) {
  self->set_version_counter(impl::version_counter(base_));
  attr_version_ = self->current_version();
  is_view_ = true;
  update_keys(self);
}

Variable make_variable_differentiable_view(
    const Variable& base, const at::Tensor& data, std::unique_ptr<ViewFunc> view_fn,
    CreationMeta creation_meta) {
  at::TensorImpl* tensor = data.unsafeGetTensorImpl();
  TORCH_CHECK(
      tensor != base.unsafeGetTensorImpl() && !tensor->autograd_meta(),
      "View operation returned a tensor that is the same as the input base tensor.  This is no "
      "longer allowed; you must explicitly create a new tensor (e.g., using .detach()).");
  const Variable* root = &base;
  if (const DifferentiableViewMeta* of_base = impl::get_view_autograd_meta(base)) {
    creation_meta = propagate_creation_meta(of_base->creation_meta_, creation_meta);
    if (of_base->view_fn_ || view_fn) {
      view_fn = chain(
          of_base->view_fn_ ? of_base->view_fn_->clone() : as_strided_func(base),
          view_fn ? std::move(view_fn) : as_strided_func(data));
    }
    root = &of_base->base_;
  }
  tensor->set_autograd_meta(
      std::make_unique<DifferentiableViewMeta>(tensor, *root, std::move(view_fn), creation_meta));
  return data;
}

Variable make_variable_non_differentiable_view(const Variable& base, const at::Tensor& data) {
  at::TensorImpl* tensor = data.unsafeGetTensorImpl();
  if (data.use_count() == 1 && !tensor->autograd_meta()) {
    tensor->set_version_counter(impl::version_counter(base));
    return data;
  }
  return Variable(tensor->shallow_copy_and_detach(
      impl::version_counter(base), /*allow_tensor_metadata_change=*/true));
}

// ---- after an in-place change

namespace impl {

DifferentiableViewMeta* get_view_autograd_meta(const at::TensorBase& self) {
  AutogradMeta* meta = get_autograd_meta(self);
  return meta && meta->is_view_ ? static_cast<DifferentiableViewMeta*>(meta) : nullptr;
}

void rebase_history(const Variable& self, Edge edge) {
  TORCH_INTERNAL_ASSERT(edge.function != nullptr);
  DifferentiableViewMeta* view = get_view_autograd_meta(self);
  if (!view) {
    change_gradient_edge(self, std::move(edge));
    return;
  }
  handle_view_on_rebase(view);
  TORCH_CHECK(
      !(view->base_.is_leaf() && view->base_.requires_grad()),
      "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  TORCH_CHECK(
      edge.input_nr == 0 && edge.function->num_inputs() == 1,
      "Functions which modify views in-place must return a single Variable");
  // The base has changed in the range of the view; the view is updated when it is next queried.
  const Variable& base = view->base_;
  change_gradient_edge(
      base,
      {c10::make_intrusive<CopySlices>(
           base, at::TensorGeometry(self), view->view_fn_ ? view->view_fn_->clone() : nullptr,
           std::move(edge.function)),
       0});
  self.grad_fn();
}

} // namespace impl

namespace {

const char* advice(CreationMeta creation_meta) {
  switch (creation_meta) {
    case CreationMeta::MULTI_OUTPUT_NODE:
      return " This view is the output of a function that returns multiple views. Such functions "
             "do not allow the output views to be modified inplace. You should replace the inplace "
             "operation by an out-of-place one.";
    case CreationMeta::NO_GRAD_MODE:
      return " Given that this use case is ambiguous and error-prone, it is forbidden. You can "
             "clarify your code by moving both the view and the inplace either both inside the "
             "no_grad block (if you don't want the inplace to be tracked) or both outside (if you "
             "want the inplace to be tracked).";
    case CreationMeta::INFERENCE_MODE:
      return " Given that this use case is ambiguous and error-prone, it is forbidden. You can "
             "clarify your code by moving both the view and the inplace either both inside the "
             "inference_mode block (if you don't want the inplace to be tracked) or both outside "
             "(if you want the inplace to be tracked).";
    case CreationMeta::IN_CUSTOM_FUNCTION:
      return " This view was created inside a custom Function (or because an input was returned "
             "as-is) and the autograd logic to handle view+inplace would override the custom "
             "backward associated with the custom Function, leading to incorrect gradients. This "
             "behavior is forbidden. You can fix this by cloning the output of the custom "
             "Function.";
    default:
      return "";
  }
}

} // namespace

void handle_view_on_rebase(DifferentiableViewMeta* view, bool indirect) {
  const CreationMeta how = view->get_creation_meta();
  if (how == CreationMeta::DEFAULT) {
    return;
  }
  const Node* function = view->grad_fn_.get();
  const char* what = indirect ? "its base or another view of its base has been" : "is being";
  const bool inference = how == CreationMeta::INFERENCE_MODE;
  std::string message;
  if (inference || how == CreationMeta::NO_GRAD_MODE || !function) {
    message = function ? c10::str(
                             "Output ", view->output_nr_, " of ", function->forward_op_name(),
                             " is a view of a view which was created in")
                       : std::string("A view was created in");
    message += c10::str(
        inference ? " inference mode and " : " no_grad mode and ", what,
        inference ? " modified inplace in normal mode."
                  : " modified inplace with grad mode enabled.");
  } else {
    message = c10::str(
        "Output ", view->output_nr_, " of ", function->forward_op_name(), " is a view and ", what,
        " modified inplace.");
  }
  TORCH_CHECK(false, message, advice(how));
}

} // namespace torch::autograd

const c10::intrusive_ptr<torch::autograd::Node>& at::TensorBase::grad_fn() const {
  using namespace torch::autograd;
  AutogradMeta* meta = torch::autograd::impl::get_autograd_meta(*this);
  if (!meta) {
    return no_function;
  }
  if (C10_UNLIKELY(meta->is_view_)) {
    auto& view = static_cast<DifferentiableViewMeta&>(*meta);
    if (view.grad_fn_ || view.base_.requires_grad()) {
      const std::lock_guard lock(view.mutex_);
      if (view.attr_version_ != impl_->current_version()) {
        handle_view_on_rebase(&view, /*indirect=*/true);
        renew_grad_fn(*this, view);
      }
    }
  }
  return meta->grad_fn_;
}
