#include <torch/csrc/autograd/variable.h>

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <mutex>

namespace torch::autograd {

namespace {

const Variable undefined;
std::vector<std::unique_ptr<FunctionPreHook>> no_hooks;
std::unique_ptr<PostAccumulateGradHook> no_post_acc_grad_hooks;

struct MetaFactory final : c10::impl::AutogradMetaFactory {
  MetaFactory() { c10::impl::SetAutogradMetaFactory(this); }
  std::unique_ptr<c10::AutogradMetaInterface> make() const override {
    return std::make_unique<AutogradMeta>();
  }
  const at::Tensor& undefined_tensor() const override { return undefined; }
};
const MetaFactory factory;

} // namespace

// ---- AutogradMeta

AutogradMeta::AutogradMeta(at::TensorImpl* self, Edge gradient_edge)
    : grad_fn_(std::move(gradient_edge.function)), output_nr_(gradient_edge.input_nr) {
  update_keys(self);
}

void AutogradMeta::update_keys(at::TensorImpl* self) const {
  const c10::DispatchKeySet keys = self->key_set() - c10::autograd_dispatch_keyset;
  const bool in_graph = (requires_grad_ || grad_fn_ || is_view_) && !self->is_inference();
  self->set_key_set(
      in_graph ? keys.add(c10::getAutogradKeyFromBackend(keys.highestBackendKey())) : keys);
}

void AutogradMeta::set_requires_grad(bool requires_grad, at::TensorImpl* self) {
  TORCH_CHECK(
      !requires_grad || isDifferentiableType(self->scalar_type()),
      "Only Tensors of floating point and complex dtype can require gradients");
  requires_grad_ = requires_grad;
  update_keys(self);
}

void AutogradMeta::set_gradient_edge(at::TensorImpl* self, Edge edge) {
  grad_fn_ = std::move(edge.function);
  output_nr_ = edge.input_nr;
  if (is_view_) {
    static_cast<DifferentiableViewMeta*>(this)->attr_version_ = self->current_version();
  }
  update_keys(self);
}

AutogradMeta::Extras& AutogradMeta::extras() {
  if (!extras_) {
    extras_ = std::make_unique<Extras>();
  }
  return *extras_;
}

const Variable& AutogradMeta::fw_grad(uint64_t, const at::TensorBase&) const {
  return undefined;
}
void AutogradMeta::set_fw_grad(const at::TensorBase&, const at::TensorBase&, uint64_t, bool) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "forward-mode gradients are not implemented");
}

namespace impl {

AutogradMeta* get_autograd_meta(const at::TensorBase& self) {
  return static_cast<AutogradMeta*>(self.unsafeGetTensorImpl()->autograd_meta());
}

AutogradMeta* materialize_autograd_meta(const at::TensorBase& self) {
  TORCH_CHECK(self.defined(), "cannot call materialize_autograd_meta() on undefined tensor");
  at::TensorImpl* tensor = self.unsafeGetTensorImpl();
  if (!tensor->autograd_meta()) {
    tensor->set_autograd_meta(std::make_unique<AutogradMeta>());
  }
  return get_autograd_meta(self);
}

// ---- the place in the graph

c10::intrusive_ptr<Node> try_get_grad_accumulator(const at::TensorBase& self) {
  const AutogradMeta* meta = get_autograd_meta(self);
  return meta ? meta->grad_accumulator_.lock() : nullptr;
}

c10::intrusive_ptr<Node> grad_accumulator(const at::TensorBase& self) {
  AutogradMeta* meta = get_autograd_meta(self);
  if (!meta) {
    return nullptr;
  }
  TORCH_CHECK(!meta->grad_fn_, "grad_accumulator() should be only called on leaf Variables");
  if (!meta->requires_grad_) {
    return nullptr;
  }
  const std::lock_guard lock(meta->mutex_);
  c10::intrusive_ptr<Node> accumulator = meta->grad_accumulator_.lock();
  if (!accumulator) {
    accumulator = c10::make_intrusive<AccumulateGrad>(Variable(self));
    meta->grad_accumulator_ = c10::weak_intrusive_ptr<Node>(accumulator);
  }
  return accumulator;
}

void set_grad_accumulator(const Variable& self, c10::weak_intrusive_ptr<Node> grad_accumulator) {
  materialize_autograd_meta(self)->grad_accumulator_ = std::move(grad_accumulator);
}

Edge gradient_edge(const Variable& self) {
  // The gradient of a leaf goes to its .grad, the gradient of any other tensor to the function that
  // created it.
  if (const c10::intrusive_ptr<Node>& function = self.grad_fn()) {
    return {function, get_autograd_meta(self)->output_nr_};
  }
  return {grad_accumulator(self), 0};
}

void set_gradient_edge(const Variable& self, Edge edge) {
  at::TensorImpl* tensor = self.unsafeGetTensorImpl();
  if (AutogradMeta* meta = get_autograd_meta(self)) {
    meta->set_gradient_edge(tensor, std::move(edge));
  } else {
    tensor->set_autograd_meta(std::make_unique<AutogradMeta>(tensor, std::move(edge)));
  }
}

Node* grad_fn_unsafe(const Variable& self) {
  const AutogradMeta* meta = get_autograd_meta(self);
  return meta ? meta->grad_fn_.get() : nullptr;
}

// ---- names and hooks

void set_name(const Variable& self, const std::string& name) {
  materialize_autograd_meta(self)->extras().name = name;
}

std::optional<at::ScalarType> grad_dtype(const at::TensorBase& self) {
  const AutogradMeta* meta = get_autograd_meta(self);
  return meta && meta->extras_ && meta->extras_->grad_dtype ? *meta->extras_->grad_dtype
                                                            : std::optional(self.scalar_type());
}

void set_grad_dtype(const Variable& self, std::optional<at::ScalarType> dtype) {
  materialize_autograd_meta(self)->extras().grad_dtype = dtype;
  if (const c10::intrusive_ptr<Node> accumulator = try_get_grad_accumulator(self)) {
    accumulator->mutable_input_metadata(0).set_grad_dtype(dtype);
  }
}

void add_hook(const at::TensorBase& self, std::unique_ptr<FunctionPreHook> hook) {
  auto& hooks = materialize_autograd_meta(self)->extras().hooks;
  hooks.push_back(std::move(hook));
}

std::vector<std::unique_ptr<FunctionPreHook>>& hooks(const Variable& self) {
  AutogradMeta* meta = get_autograd_meta(self);
  return meta && meta->extras_ ? meta->extras_->hooks : no_hooks;
}

void clear_hooks(const at::TensorBase& self) {
  if (AutogradMeta* meta = get_autograd_meta(self); meta && meta->extras_) {
    meta->extras_->hooks.clear();
  }
}

void set_post_acc_grad_hooks(
    const at::TensorBase& self, std::unique_ptr<PostAccumulateGradHook> hook) {
  materialize_autograd_meta(self)->extras().post_acc_grad_hooks = std::move(hook);
}

std::unique_ptr<PostAccumulateGradHook>& post_acc_grad_hooks(const Variable& self) {
  AutogradMeta* meta = get_autograd_meta(self);
  return meta && meta->extras_ ? meta->extras_->post_acc_grad_hooks : no_post_acc_grad_hooks;
}

void create_cpp_hook(const at::TensorBase& self) {
  AutogradMeta* meta = materialize_autograd_meta(self);
  AutogradMeta::Extras& extras = meta->extras();
  extras.cpp_hooks = std::make_shared<hooks_list>();
  extras.hooks.clear();
  extras.hooks.push_back(std::make_unique<CppFunctionTensorPreHook>(extras.cpp_hooks, 0));
  if (meta->grad_fn_) {
    meta->grad_fn_->add_tensor_pre_hook(
        std::make_unique<CppFunctionTensorPreHook>(extras.cpp_hooks, meta->output_nr_));
  }
}

} // namespace impl

// ---- making variables

Variable make_variable(at::Tensor data, bool requires_grad, bool allow_tensor_metadata_change) {
  if (!data.defined()) {
    return {};
  }
  at::TensorImpl* tensor = data.unsafeGetTensorImpl();
  // A tensor that has no other references need not be copied.
  if (data.use_count() != 1 || !tensor->unique_version() || tensor->autograd_meta()) {
    data = Variable(
        tensor->shallow_copy_and_detach(c10::VariableVersion(0u), allow_tensor_metadata_change));
    tensor = data.unsafeGetTensorImpl();
  }
  tensor->set_allow_tensor_metadata_change(allow_tensor_metadata_change);
  if (requires_grad) {
    tensor->set_autograd_meta(std::make_unique<AutogradMeta>(tensor, true));
  }
  return data;
}

Variable make_variable(
    const at::Tensor& data, Edge gradient_edge, bool allow_tensor_metadata_change) {
  if (!data.defined()) {
    return {};
  }
  Variable variable(data.unsafeGetTensorImpl()->shallow_copy_and_detach(
      c10::VariableVersion(0u), allow_tensor_metadata_change));
  impl::set_gradient_edge(variable, std::move(gradient_edge));
  return variable;
}

} // namespace torch::autograd
