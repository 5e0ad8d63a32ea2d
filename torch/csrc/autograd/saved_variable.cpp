#include <torch/csrc/autograd/saved_variable.h>

#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/autograd/type_name.h>

#include <ATen/ops/detach.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace torch::autograd {

const char* const ERR_BACKWARD_TWICE =
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward.";

SavedVariable::~SavedVariable() = default;

SavedVariable::SavedVariable(
    const std::optional<Variable>& variable, bool is_output, bool is_inplace_on_view)
    : SavedVariable(variable ? *variable : Variable(), is_output, is_inplace_on_view) {}

SavedVariable::SavedVariable(const Variable& variable, bool is_output, bool is_inplace_on_view)
    : is_output_(is_output), is_inplace_on_view_(is_inplace_on_view) {
  if (!variable.defined()) {
    return;
  }
  TORCH_CHECK(
      !variable.is_inference(),
      "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
      "inference mode in computation tracked by autograd. To work around this, you can make a "
      "clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
      "`torch.inference_mode()`.");
  is_defined_ = true;
  is_leaf_ = variable.is_leaf();
  saved_version_ = variable.unsafeGetTensorImpl()->current_version();
  if (C10_UNLIKELY(is_inplace_on_view)) {
    TORCH_INTERNAL_ASSERT(!is_leaf_ && is_output);
    graph_ = std::make_unique<Graph>();
    graph_->weak_grad_fn = c10::weak_intrusive_ptr<Node>(variable.grad_fn());
  }
  if (C10_UNLIKELY(c10::autograd_state.saved_tensor_hooks)) {
    if (auto hooks = Engine::get_default_engine().get_default_saved_variable_hooks()) {
      save(variable);
      // The node keeps what the hook keeps of its own output, which must not keep the node.
      pack(std::move(hooks), is_output && !is_leaf_ ? variable.tensor_data() : variable);
      return;
    }
  }
  if (!is_output || is_leaf_) {
    saved_original_ = true;
    data_ = variable;
  } else {
    output_nr_ = static_cast<uint32_t>(variable.output_nr());
    data_ = variable.tensor_data();
  }
}

// Records the properties of a variable that hooks do not preserve.
void SavedVariable::save(const Variable& variable) {
  if (!graph_) {
    graph_ = std::make_unique<Graph>();
  }
  output_nr_ = static_cast<uint32_t>(variable.output_nr());
  if (is_leaf_) {
    graph_->grad_accumulator = impl::grad_accumulator(variable);
    requires_grad_ = variable.requires_grad();
  } else if (!is_output_) {
    graph_->grad_fn = variable.grad_fn();
  }
}

void SavedVariable::pack(std::unique_ptr<SavedVariableHooks>&& hooks, const Variable& argument) {
  graph_->hooks = std::move(hooks);
  const c10::NoGradGuard no_grad;
  const int64_t version = argument._version();
  graph_->hooks->call_pack_hook(argument);
  TORCH_CHECK(
      version == argument._version(),
      "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
      "hook cannot be modified by in-place operations as this can lead to unexpected "
      "side-effects. Please open an issue if you need to perform in-place operations on the input "
      "to a pack hook.");
  data_.reset();
  saved_original_ = false;
}

bool SavedVariable::has_hooks() const {
  return graph_ && graph_->hooks;
}

std::optional<at::Tensor> SavedVariable::get_raw_data() const {
  return has_hooks() ? std::nullopt : std::optional(data_);
}

void SavedVariable::reset_data() {
  data_.reset();
  graph_.reset();
}

void SavedVariable::register_hooks(std::unique_ptr<SavedVariableHooks>&& hooks) {
  TORCH_CHECK(
      !has_hooks(),
      "Calling register_hooks on a saved tensor whose hooks have already been set. "
      "Hint: only one pair of hooks is allowed at a time.");
  TORCH_CHECK(is_defined_, "Calling register_hooks on a saved tensor with value None is forbidden");
  TORCH_CHECK(
      data_.defined(),
      "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values "
      "of the graph are freed when you call .backward() or autograd.grad(). Specify "
      "retain_graph=True if you need to backward through the graph a second time or if you need to "
      "access saved variables after calling backward.");
  check_version(saved_original_ ? data_.grad_fn().get() : nullptr);
  const Variable variable = data_;
  if (saved_original_) {
    save(variable);
  } else if (!graph_) {
    graph_ = std::make_unique<Graph>();
  }
  pack(std::move(hooks), saved_original_ ? at::detach(variable) : variable.tensor_data());
}

c10::intrusive_ptr<Node> SavedVariable::history(Node* saved_for) const {
  c10::intrusive_ptr<Node> grad_fn = is_inplace_on_view_ ? graph_->weak_grad_fn.lock()
      : has_hooks()                                      ? graph_->grad_fn
      : saved_original_                                  ? data_.grad_fn()
                                                         : nullptr;
  if (!is_leaf_ && !grad_fn) {
    // An output belongs to the node that asks for it.
    TORCH_INTERNAL_ASSERT(saved_for);
    grad_fn = c10::intrusive_ptr<Node>::reclaim_copy(saved_for);
  }
  return grad_fn;
}

void SavedVariable::check_version(const Node* grad_fn) const {
  const uint32_t version = data_.unsafeGetTensorImpl()->current_version();
  if (C10_LIKELY(version == saved_version_)) {
    return;
  }
  std::string message =
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [";
  message += c10::str(type_name(data_), " ", data_.sizes(), "]");
  if (grad_fn) {
    message += c10::str(", which is output ", output_nr_, " of ", grad_fn->forward_op_name(), ",");
  }
  message +=
      c10::str(" is at version ", version, "; expected version ", saved_version_, " instead.");
  message += AnomalyMode::is_enabled()
      ? " Hint: the backtrace further above shows the operation that failed to compute its "
        "gradient. The variable in question was changed in there or anywhere later. Good luck!"
      : " Hint: enable anomaly detection to find the operation that failed to compute its "
        "gradient, "
        "with torch.autograd.set_detect_anomaly(True, check_nan=False).";
  TORCH_CHECK(false, message);
}

// The hook is user code and may record operations; the node that unpacks must not.
Variable SavedVariable::call_unpack_hook() const {
  const auto keys = c10::impl::tls_local_dispatch_key_set();
  const c10::impl::ForceDispatchKeyGuard with_autograd(
      keys.included_, keys.excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView);
  return graph_->hooks->call_unpack_hook();
}

Variable SavedVariable::unpack(Node* saved_for) const {
  if (!is_defined_) {
    return {};
  }
  const bool hooks = has_hooks();
  TORCH_CHECK(data_.defined() || hooks, ERR_BACKWARD_TWICE);
  const bool record = c10::GradMode::is_enabled();
  if (!hooks) {
    TORCH_CHECK(
        is_leaf_ || saved_for || !saved_original_ || !data_.is_leaf(),
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
        "This is not supported, please use out-of-place `.detach()` instead");
    if (C10_UNLIKELY(data_.unsafeGetTensorImpl()->current_version() != saved_version_)) {
      check_version(history(saved_for).get());
    }
    if (saved_original_ || !record) {
      return data_;
    }
  }
  Variable data = hooks ? call_unpack_hook() : data_;
  if (!record) {
    return data;
  }
  // Restores its place in the graph from when it was saved. The version stays shared, so a later
  // unpack detects changes of this tensor.
  c10::intrusive_ptr<Node> grad_fn = history(saved_for);
  if (!grad_fn && !requires_grad_ && !data.requires_grad()) {
    return data; // as it was, without a place in the graph
  }
  const Variable variable = grad_fn ? make_variable(data, Edge(std::move(grad_fn), output_nr_))
                                    : make_variable(data, requires_grad_);
  impl::set_version_counter(variable, impl::version_counter(data));
  if (is_leaf_ && requires_grad_ && graph_ && graph_->grad_accumulator) {
    impl::set_grad_accumulator(variable, c10::weak_intrusive_ptr<Node>(graph_->grad_accumulator));
  }
  return variable;
}

} // namespace torch::autograd
