#include <torch/csrc/autograd/VariableTypeUtils.h>

namespace torch::autograd {

// ---- in-place changes

namespace detail {

void check_inplace_recorded(const at::Tensor& tensor) {
  if (DifferentiableViewMeta* view = impl::get_view_autograd_meta(tensor)) {
    handle_view_on_rebase(view);
    TORCH_CHECK(
        !(tensor.requires_grad() && view->base_.is_leaf()),
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  TORCH_CHECK(
      !(tensor.requires_grad() && tensor.is_leaf()),
      "a leaf Variable that requires grad is being used in an in-place operation.");
}

void throw_not_differentiable(const char* argument, const char* function) {
  TORCH_CHECK(
      false, "The function '", function, "' is not differentiable with respect to argument '",
      argument, "'. This input cannot have requires_grad True.");
}

} // namespace detail

void rebase_history(const Variable& variable, c10::intrusive_ptr<Node> grad_fn) {
  if (grad_fn && variable.defined()) {
    const uint32_t output_nr = grad_fn->add_input_metadata(variable);
    impl::rebase_history(variable, {std::move(grad_fn), output_nr});
  }
}

void rebase_history(at::TensorList variables, const c10::intrusive_ptr<Node>& grad_fn) {
  if (!grad_fn) {
    return;
  }
  for (const Variable& variable : variables) {
    if (variable.defined()) {
      rebase_history(variable, grad_fn);
    } else {
      grad_fn->add_input_metadata(Node::undefined_input());
    }
  }
}

// ---- views

at::Tensor as_view(
    const at::Tensor& base, const at::Tensor& tensor, bool is_bw_differentiable, bool,
    std::unique_ptr<ViewFunc> view_func, CreationMeta creation_meta) {
  if (base.is_inference() || !tensor.defined()) {
    return tensor;
  }
  return is_bw_differentiable
      ? make_variable_differentiable_view(base, tensor, std::move(view_func), creation_meta)
      : make_variable_non_differentiable_view(base, tensor);
}

void as_view(
    const at::Tensor& base, std::vector<at::Tensor>& tensors, bool is_bw_differentiable,
    bool is_fw_differentiable, CreationMeta creation_meta) {
  for (at::Tensor& tensor : tensors) {
    tensor =
        as_view(base, tensor, is_bw_differentiable, is_fw_differentiable, nullptr, creation_meta);
  }
}

// ---- errors

void throw_error_out_requires_grad(const char* name) {
  TORCH_CHECK(
      false, name,
      "(): functions with out=... arguments don't support automatic differentiation, but one of "
      "the arguments requires grad.");
}

// ---- lists

namespace {

template <typename List>
std::vector<SavedVariable> save_all(const List& tensors, bool is_output) {
  std::vector<SavedVariable> saved;
  saved.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    saved.emplace_back(tensor, is_output);
  }
  return saved;
}

} // namespace

std::vector<SavedVariable> make_saved_variable_list(at::TensorList tensors, bool is_output) {
  return save_all(tensors, is_output);
}

std::vector<SavedVariable> make_saved_variable_list(
    const c10::List<std::optional<at::Tensor>>& tensors, bool is_output) {
  return save_all(tensors, is_output);
}

std::vector<at::Tensor> unpack_list(
    at::ArrayRef<SavedVariable> saved, const c10::intrusive_ptr<Node>& saved_for) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(saved.size());
  for (const SavedVariable& variable : saved) {
    tensors.push_back(variable.unpack(saved_for));
  }
  return tensors;
}

c10::List<std::optional<at::Tensor>> unpack_opt_list(
    at::ArrayRef<SavedVariable> saved, const c10::intrusive_ptr<Node>& saved_for) {
  c10::List<std::optional<at::Tensor>> tensors;
  tensors.reserve(saved.size());
  for (const SavedVariable& variable : saved) {
    at::Tensor tensor = variable.unpack(saved_for);
    tensors.push_back(tensor.defined() ? std::optional(std::move(tensor)) : std::nullopt);
  }
  return tensors;
}

std::vector<std::vector<int64_t>> to_args_sizes(at::TensorList tensors) {
  std::vector<std::vector<int64_t>> sizes;
  sizes.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    sizes.push_back(tensor.sizes().vec());
  }
  return sizes;
}

std::vector<at::ScalarType> to_args_scalartypes(at::TensorList tensors) {
  std::vector<at::ScalarType> types;
  types.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    types.push_back(tensor.scalar_type());
  }
  return types;
}

} // namespace torch::autograd
