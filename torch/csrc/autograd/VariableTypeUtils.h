#pragma once

// Functions that the generated autograd kernels call.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <optional>
#include <vector>

namespace torch::autograd {

// ---- in-place changes

namespace detail {
TORCH_API void check_inplace_recorded(const at::Tensor& tensor);
}

// Throws if a recorded in-place change would lose history: that of a leaf, or of a view that shares
// its node with others.
inline void check_inplace(const at::Tensor& tensor, bool requires_grad) {
  if (requires_grad && c10::GradMode::is_enabled()) {
    detail::check_inplace_recorded(tensor);
  }
}
inline void check_inplace(at::TensorList tensors, bool requires_grad) {
  for (const at::Tensor& tensor : tensors) {
    check_inplace(tensor, requires_grad);
  }
}

// Makes `grad_fn` the node of a tensor that was changed in place. Does nothing if `grad_fn` is
// null.
TORCH_API void rebase_history(const Variable& variable, c10::intrusive_ptr<Node> grad_fn);
TORCH_API void rebase_history(at::TensorList variables, const c10::intrusive_ptr<Node>& grad_fn);

inline void increment_version(const at::Tensor& tensor) {
  tensor.unsafeGetTensorImpl()->bump_version();
}
inline void increment_version(at::TensorList tensors) {
  for (const at::Tensor& tensor : tensors) {
    increment_version(tensor);
  }
}

// ---- views

// Makes `tensor`, which a kernel created on the storage of `base`, a view of it. `view_func`
// repeats the view where as_strided cannot. A view made without grad mode is marked as such.
TORCH_API at::Tensor as_view(
    const at::Tensor& base, const at::Tensor& tensor, bool is_bw_differentiable,
    bool is_fw_differentiable, std::unique_ptr<ViewFunc> view_func = nullptr,
    CreationMeta creation_meta = CreationMeta::DEFAULT);
// The outputs of one call share a node, so none of them may be changed in place.
TORCH_API void as_view(
    const at::Tensor& base, std::vector<at::Tensor>& tensors, bool is_bw_differentiable,
    bool is_fw_differentiable, CreationMeta creation_meta = CreationMeta::MULTI_OUTPUT_NODE);

// The creation_meta of a view made now; `otherwise` applies if gradients are enabled.
inline CreationMeta current_creation_meta(CreationMeta otherwise = CreationMeta::DEFAULT) {
  return c10::autograd_state.inference_mode ? CreationMeta::INFERENCE_MODE
      : c10::autograd_state.grad_disabled   ? CreationMeta::NO_GRAD_MODE
                                            : otherwise;
}

// ---- errors

[[noreturn]] TORCH_API void throw_error_out_requires_grad(const char* name);

namespace detail {
[[noreturn]] TORCH_API void throw_not_differentiable(const char* argument, const char* function);
}
// For arguments that the derivative does not cover.
template <typename T>
void check_no_requires_grad(const T& argument, const char* name, const char* fn_name = "") {
  if (compute_requires_grad(argument)) {
    detail::throw_not_differentiable(name, fn_name);
  }
}

// ---- lists saved by nodes

TORCH_API std::vector<SavedVariable> make_saved_variable_list(
    at::TensorList tensors, bool is_output = false);
TORCH_API std::vector<SavedVariable> make_saved_variable_list(
    const c10::List<std::optional<at::Tensor>>& tensors, bool is_output = false);
// Unpacks the list to pass it on to an operator.
TORCH_API std::vector<at::Tensor> unpack_list(
    at::ArrayRef<SavedVariable> saved, const c10::intrusive_ptr<Node>& saved_for = nullptr);
TORCH_API c10::List<std::optional<at::Tensor>> unpack_opt_list(
    at::ArrayRef<SavedVariable> saved, const c10::intrusive_ptr<Node>& saved_for = nullptr);
TORCH_API std::vector<std::vector<int64_t>> to_args_sizes(at::TensorList tensors);
TORCH_API std::vector<at::ScalarType> to_args_scalartypes(at::TensorList tensors);

} // namespace torch::autograd
