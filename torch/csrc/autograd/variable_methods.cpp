// The autograd members of at::TensorBase and at::Tensor.

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <ATen/ops/add.h>
#include <ATen/ops/clone.h>

#include <mutex>

namespace at {

namespace {

namespace impl = torch::autograd::impl;
using torch::autograd::AutogradMeta;

const std::string no_name;

// Retains the gradient of a non-leaf tensor if the tensor still exists.
struct RetainGrad final : TensorHook {
  explicit RetainGrad(const TensorImplPtr& tensor) : tensor_(tensor) {}
  TensorBase operator()(const TensorBase& grad) override {
    const TensorImplPtr tensor = tensor_.lock();
    if (tensor.defined() && grad.defined()) {
      Tensor& kept = tensor->mutable_grad();
      kept = kept.defined() ? at::add(kept, Tensor(grad)) : at::clone(Tensor(grad));
    }
    return {};
  }
  c10::weak_intrusive_ptr<TensorImpl, UndefinedTensorImpl> tensor_;
};

} // namespace

// ---- the graph

bool TensorBase::is_leaf() const {
  const AutogradMeta* meta = impl::get_autograd_meta(*this);
  return !meta || !meta->grad_fn_;
}

int64_t TensorBase::output_nr() const {
  const AutogradMeta* meta = impl::get_autograd_meta(*this);
  return meta ? meta->output_nr_ : 0;
}

const TensorBase& TensorBase::requires_grad_(bool requires_grad) const {
  TORCH_CHECK(
      is_leaf() || requires_grad,
      "you can only change requires_grad flags of leaf variables. If you want to use a computed "
      "variable in a subgraph that doesn't require differentiation use var_no_grad = "
      "var.detach().");
  return set_requires_grad(requires_grad);
}

const std::string& TensorBase::name() const {
  TORCH_CHECK(defined(), "cannot call variable_data() on undefined tensor");
  const AutogradMeta* meta = impl::get_autograd_meta(*this);
  return meta && meta->extras_ ? meta->extras_->name : no_name;
}

bool TensorBase::is_view() const {
  return impl::get_view_autograd_meta(*this) != nullptr;
}

const TensorBase& TensorBase::_base() const {
  const auto* view = impl::get_view_autograd_meta(*this);
  TORCH_CHECK(view, "Can't get base of non-backward view Tensor");
  return view->base_;
}

void Tensor::backward(
    const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
    std::optional<TensorList> inputs) const {
  torch::autograd::backward(
      {*this}, {gradient}, retain_graph, create_graph,
      inputs ? inputs->vec() : std::vector<Tensor>());
}

// ---- hooks

void TensorBase::retain_grad() const {
  TORCH_CHECK(requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  const auto& function = grad_fn();
  AutogradMeta* meta = impl::get_autograd_meta(*this);
  // The gradient of a leaf is kept anyway.
  if (!function || meta->retains_grad_) {
    return;
  }
  meta->retains_grad_ = true;
  function->add_retains_grad_hook(
      std::make_unique<torch::autograd::CppFunctionSingleTensorPreHook>(
          std::make_unique<RetainGrad>(impl_), meta->output_nr_),
      meta->output_nr_);
}

bool TensorBase::retains_grad() const {
  const AutogradMeta* meta = impl::get_autograd_meta(*this);
  return meta && meta->retains_grad_;
}

unsigned TensorBase::_register_hook(std::unique_ptr<TensorHook> hook) const {
  TORCH_CHECK(
      requires_grad(), "cannot register a hook on a variable that doesn't require gradient");
  grad_fn(); // updates it if this is a view
  auto& list = impl::materialize_autograd_meta(*this)->extras().cpp_hooks;
  if (!list) {
    impl::create_cpp_hook(*this);
  }
  list->push_back(std::move(hook));
  return static_cast<unsigned>(list->size() - 1);
}

void TensorBase::remove_hook(unsigned position) const {
  const AutogradMeta* meta = impl::get_autograd_meta(*this);
  auto* list = meta && meta->extras_ ? meta->extras_->cpp_hooks.get() : nullptr;
  TORCH_CHECK(list && position < list->size(), "Invalid index, no hook at position ", position);
  (*list)[position] = nullptr;
}

// ---- data without the graph

TensorBase TensorBase::variable_data() const {
  TORCH_CHECK(defined(), "cannot call variable_data() on undefined tensor");
  return TensorBase(impl_->shallow_copy_and_detach(c10::VariableVersion(0u), true));
}

TensorBase TensorBase::data() const {
  return variable_data();
}

TensorBase TensorBase::tensor_data() const {
  TORCH_CHECK(defined(), "cannot call tensor_data() on undefined tensor");
  return TensorBase(impl_->shallow_copy_and_detach(
      impl_->version_counter(), impl_->allow_tensor_metadata_change()));
}

void TensorBase::set_data(const TensorBase& new_data) const {
  TORCH_CHECK(
      impl_->has_compatible_shallow_copy_type(new_data.key_set()),
      torch::autograd::impl::kIncompatibleData);
  TORCH_CHECK(
      !requires_grad() || torch::autograd::isDifferentiableType(new_data.scalar_type()),
      "data set to a tensor that requires gradients must be floating point or complex dtype");
  if (AutogradMeta* meta = impl::get_autograd_meta(*this)) {
    // The accumulator expects gradients that match the old data.
    const std::lock_guard lock(meta->mutex_);
    if (new_data.scalar_type() != scalar_type() || new_data.device() != device()) {
      meta->grad_accumulator_.reset();
    }
  }
  impl_->shallow_copy_from(new_data.getIntrusivePtr());
}

} // namespace at
