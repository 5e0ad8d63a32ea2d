#include <torch/csrc/autograd/custom_function.h>

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <ATen/ops/detach.h>
#include <ATen/ops/view_as.h>
#include <c10/core/GradMode.h>

namespace torch::autograd {

Variable view_as_self(const Variable& variable) {
  const c10::NoGradGuard no_grad;
  return at::methods::view_as(variable, variable);
}

namespace {

// For an input that forward changed in place: inserts the function between the input and its
// history.
void rebase_dirty(
    Variable& variable, const c10::intrusive_ptr<Node>& function, uint32_t output_nr,
    size_t num_outputs) {
  TORCH_CHECK(
      !(variable.is_leaf() && variable.requires_grad()),
      "a leaf Variable that requires grad has been used in an in-place operation.");
  TORCH_CHECK(
      !(variable.is_view() && num_outputs > 1),
      "If your Function modifies inplace an input that is a view of another Tensor, your Function "
      "cannot return more than one Tensor. This is not supported by the current autograd engine. "
      "You should either make sure the input is not a view (using .clone() for example) or make "
      "your Function only return one Tensor (potentially splitting it into two Functions: one "
      "doing the inplace that returns a single Tensor and a second one that does the other "
      "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do "
      "this change.");
  variable.mutable_grad().reset();
  impl::clear_hooks(variable);
  if (const auto accumulator = impl::try_get_grad_accumulator(variable)) {
    static_cast<AccumulateGrad&>(*accumulator).variable.reset();
  }
  impl::rebase_history(variable, {function, output_nr});
}

// An output that carries no gradient must not appear to require one.
void forget_history(
    Variable& variable, bool is_input, bool is_modified, Variable (*view)(const Variable&)) {
  if (!variable.requires_grad()) {
    if (is_input && !is_modified) {
      variable = view(variable);
    }
  } else if (is_input) {
    variable = at::detach(variable);
  } else if (!variable.is_view()) {
    at::methods::detach_(variable);
  }
}

} // namespace

std::vector<std::optional<Variable>> _wrap_outputs(
    const variable_list& input_vars, const std::unordered_set<at::TensorImpl*>& non_differentiable,
    const std::unordered_set<at::TensorImpl*>& dirty_inputs,
    at::ArrayRef<std::optional<Variable>> raw_outputs, const c10::intrusive_ptr<Node>& cdata,
    Variable (*view_as_self)(const Variable&)) {
  std::unordered_set<at::TensorImpl*> inputs;
  for (const Variable& input : input_vars) {
    inputs.insert(input.unsafeGetTensorImpl());
  }
  std::vector<std::optional<Variable>> outputs;
  outputs.reserve(raw_outputs.size());
  std::unordered_set<at::TensorImpl*> returned;
  size_t num_differentiable = 0;
  for (const std::optional<Variable>& raw : raw_outputs) {
    const bool differentiable = cdata && raw && raw->defined() &&
        isDifferentiableType(raw->scalar_type()) &&
        !non_differentiable.contains(raw->unsafeGetTensorImpl());
    uint32_t output_nr = 0;
    if (cdata) {
      // One that is not differentiable counts too: backward gets zeros for it.
      output_nr = raw && raw->defined() ? cdata->add_input_metadata(*raw)
                                        : cdata->add_input_metadata(Node::undefined_input());
    }
    outputs.push_back(raw);
    if (!raw || !raw->defined()) {
      continue;
    }
    Variable& variable = *outputs.back();
    returned.insert(variable.unsafeGetTensorImpl());
    const bool is_input = inputs.contains(variable.unsafeGetTensorImpl());
    const bool is_modified = dirty_inputs.contains(variable.unsafeGetTensorImpl());
    if (!differentiable) {
      forget_history(variable, is_input, is_modified, view_as_self);
    } else if (is_input && is_modified) {
      rebase_dirty(variable, cdata, output_nr, raw_outputs.size());
    } else {
      if (is_input) {
        variable = view_as_self(variable);
      }
      impl::set_gradient_edge(variable, {cdata, output_nr});
    }
    num_differentiable += differentiable;
    if (auto* view = impl::get_view_autograd_meta(variable); view && !(is_input && is_modified)) {
      view->set_creation_meta(CreationMeta::IN_CUSTOM_FUNCTION);
    }
  }
  if (num_differentiable > 1) {
    // The views share a node; an in-place change of one would take it from the others.
    for (const auto& output : outputs) {
      auto* view = output ? impl::get_view_autograd_meta(*output) : nullptr;
      if (view) {
        view->set_creation_meta(CreationMeta::MULTI_OUTPUT_NODE);
      }
    }
  }
  for (at::TensorImpl* dirty : dirty_inputs) {
    TORCH_CHECK(
        returned.contains(dirty),
        "Some elements marked as dirty during the forward method were not returned as output. The "
        "inputs that are modified inplace must all be outputs of the Function.");
  }
  return outputs;
}

// ---- AutogradContext

variable_list AutogradContext::get_saved_variables() const {
  TORCH_CHECK(!has_freed_buffers_, ERR_BACKWARD_TWICE);
  const c10::AutoGradMode with_history(true);
  variable_list saved;
  saved.reserve(saved_variables_.size());
  for (const SavedVariable& variable : saved_variables_) {
    saved.push_back(variable.unpack(grad_fn_));
  }
  return saved;
}

void AutogradContext::save_variables() {
  saved_variables_.clear();
  for (const Variable& variable : to_save_) {
    // An output belongs to this node and must not keep it alive.
    const bool is_output =
        variable.defined() && impl::grad_fn_unsafe(variable) == grad_fn_ && !variable.is_leaf();
    saved_variables_.emplace_back(variable, is_output);
  }
  to_save_.clear();
}

void AutogradContext::release() {
  saved_variables_.clear();
  has_freed_buffers_ = true;
}

void AutogradContext::mark_dirty(const variable_list& inputs) {
  dirty_inputs_.clear();
  for (const Variable& input : inputs) {
    dirty_inputs_.insert(input.unsafeGetTensorImpl());
  }
}

void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
  non_differentiable_.clear();
  for (const Variable& output : outputs) {
    non_differentiable_.insert(output.unsafeGetTensorImpl());
  }
}

const std::unordered_set<at::TensorImpl*>& AutogradContext::get_and_bump_dirty() const {
  for (at::TensorImpl* dirty : dirty_inputs_) {
    dirty->bump_version();
  }
  return dirty_inputs_;
}

bool AutogradContext::needs_input_grad(size_t output_edge_index) const {
  return grad_fn_->task_should_compute_output(output_edge_index);
}
bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
  return grad_fn_->task_should_compute_output(ranges);
}

// ---- CustomNode

bool CustomNode::connect() {
  const bool is_executable = c10::GradMode::is_enabled() && any_variable_requires_grad(input_vars_);
  if (is_executable) {
    set_next_edges(collect_next_edges(input_vars_));
  }
  return is_executable;
}

std::vector<std::optional<Variable>> CustomNode::wrap(
    at::ArrayRef<std::optional<Variable>> outputs, bool is_executable) {
  auto wrapped = _wrap_outputs(
      input_vars_, ctx_.get_non_differentiable(), ctx_.get_and_bump_dirty(), outputs,
      is_executable ? getptr() : nullptr, view_as_self);
  input_vars_.clear();
  if (is_executable) {
    for (const auto& output : wrapped) {
      output_info_.push_back(output->defined() ? InputMetadata(*output) : InputMetadata());
    }
    ctx_.save_variables();
  }
  return wrapped;
}

variable_list CustomNode::apply(variable_list&& inputs) {
  if (ctx_.materialize_grads_) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined() && !output_info_[i].was_default_constructed()) {
        inputs[i] = output_info_[i].zeros_like();
      }
    }
  }
  variable_list grads = call_backward(std::move(inputs));
  // Surplus gradients are allowed if they are undefined.
  while (grads.size() > is_variable_input_.size() && !grads.back().defined()) {
    grads.pop_back();
  }
  TORCH_CHECK(
      grads.size() == is_variable_input_.size(), "function ", name(),
      " returned an incorrect number of gradients (expected ", is_variable_input_.size(), ", got ",
      grads.size(), ")");
  variable_list results;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (is_variable_input_[i]) {
      results.push_back(std::move(grads[i]));
    } else {
      TORCH_CHECK(
          !grads[i].defined(), "function ", name(),
          " returned a gradient different that is defined at position ", i + 1,
          ", std the corresponding forward input was not a Variable");
    }
  }
  return results;
}

void CustomNode::release_variables() {
  const std::lock_guard lock(mutex_);
  ctx_.release();
}

} // namespace torch::autograd
