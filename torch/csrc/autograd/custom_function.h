#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace torch::autograd {

// Makes the results of a custom function the outputs of its node, which is null if the call is not
// recorded. An input that is returned becomes a view of itself, unless it was changed in place;
// `view_as_self` makes the view.
TORCH_API std::vector<std::optional<Variable>> _wrap_outputs(
    const variable_list& input_vars, const std::unordered_set<at::TensorImpl*>& non_differentiable,
    const std::unordered_set<at::TensorImpl*>& dirty_inputs,
    at::ArrayRef<std::optional<Variable>> raw_outputs, const c10::intrusive_ptr<Node>& cdata,
    Variable (*view_as_self)(const Variable&));

// The view that C++ makes of a tensor, without recording it.
TORCH_API Variable view_as_self(const Variable& variable);

// Values that forward saves for backward.
struct TORCH_API AutogradContext {
  AutogradContext() = default;
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  // For values that are not tensors.
  std::unordered_map<std::string, c10::IValue> saved_data;

  // Saves tensors that are inputs or outputs. Call it once, in forward.
  void save_for_backward(variable_list to_save) { to_save_ = std::move(to_save); }
  variable_list get_saved_variables() const;
  // Declares inputs that forward has changed in place.
  void mark_dirty(const variable_list& inputs);
  void mark_non_differentiable(const variable_list& outputs);
  // Whether backward receives zeros for undefined gradients (the default).
  void set_materialize_grads(bool value) { materialize_grads_ = value; }
  // Whether backward's gradient for this input is needed. Counts only tensors.
  bool needs_input_grad(size_t output_edge_index) const;
  bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

  const std::unordered_set<at::TensorImpl*>& get_and_bump_dirty() const;
  const std::unordered_set<at::TensorImpl*>& get_non_differentiable() const {
    return non_differentiable_;
  }

 private:
  friend struct CustomNode;
  void save_variables();
  void release();

  std::unordered_set<at::TensorImpl*> non_differentiable_;
  std::unordered_set<at::TensorImpl*> dirty_inputs_;
  std::vector<SavedVariable> saved_variables_;
  variable_list to_save_;
  Node* grad_fn_ = nullptr; // the node that this belongs to
  bool materialize_grads_ = true;
  bool has_freed_buffers_ = false;
};

// The node of a custom function, without its backward.
struct TORCH_API CustomNode : Node {
  CustomNode() { ctx_.grad_fn_ = this; }

  variable_list apply(variable_list&& inputs) final;
  void release_variables() final;

  // Determines from the inputs whether this call is recorded.
  bool connect();
  std::vector<std::optional<Variable>> wrap(
      at::ArrayRef<std::optional<Variable>> outputs, bool is_executable);

  AutogradContext ctx_;
  variable_list input_vars_; // set until the call returns
  std::vector<bool> is_variable_input_;
  std::vector<InputMetadata> output_info_;

 protected:
  virtual variable_list call_backward(variable_list&& grads) = 0;
};

template <typename T>
struct CppNode final : CustomNode {
 protected:
  variable_list call_backward(variable_list&& grads) override {
    return T::backward(&ctx_, std::move(grads));
  }
};

namespace detail {

// Splits forward's arguments into tensors and others.
struct ExtractVariables {
  std::vector<bool>& is_variable;
  variable_list& variables;

  void operator()(const at::Tensor& tensor) {
    is_variable.push_back(true);
    variables.push_back(tensor);
  }
  void operator()(const std::optional<at::Tensor>& tensor) {
    if (tensor && tensor->defined()) {
      (*this)(*tensor);
    } else {
      is_variable.push_back(false);
    }
  }
  void operator()(at::TensorList tensors) {
    for (const at::Tensor& tensor : tensors) {
      (*this)(tensor);
    }
  }
  void operator()(const std::vector<at::Tensor>& tensors) { (*this)(at::TensorList(tensors)); }
  template <typename Other>
  void operator()(const Other&) {
    is_variable.push_back(false);
  }
};

inline std::vector<std::optional<Variable>> to_optional(const Variable& output) {
  return {output};
}
inline std::vector<std::optional<Variable>> to_optional(const variable_list& outputs) {
  return {outputs.begin(), outputs.end()};
}

template <typename Result>
Result to_output_type(std::vector<std::optional<Variable>>& outputs) {
  if constexpr (std::is_same_v<Result, Variable>) {
    return *outputs[0];
  } else {
    variable_list result;
    for (auto& output : outputs) {
      result.push_back(std::move(*output));
    }
    return result;
  }
}

} // namespace detail

template <typename X, typename... Args>
using forward_t = decltype(X::forward(nullptr, std::declval<Args>()...));

// A function with a custom backward:
//   struct MulConstant : Function<MulConstant> {
//     static Variable forward(AutogradContext* ctx, Variable x, double factor);
//     static variable_list backward(AutogradContext* ctx, variable_list grads);
//   };
//   Variable y = MulConstant::apply(x, 5.5);
// backward returns one gradient per argument of forward, undefined for arguments that are not
// tensors.
template <typename T>
struct Function {
  template <typename X = T, typename... Args>
  static std::enable_if_t<std::is_same_v<X, T>, forward_t<X, Args...>> apply(Args&&... args) {
    auto node = c10::make_intrusive<CppNode<T>>();
    detail::ExtractVariables extract{node->is_variable_input_, node->input_vars_};
    (extract(args), ...);
    const bool is_executable = node->connect();
    forward_t<X, Args...> outputs;
    {
      const AutoGradMode grad_mode(false);
      outputs = T::forward(&node->ctx_, std::forward<Args>(args)...);
    }
    auto wrapped = node->wrap(detail::to_optional(outputs), is_executable);
    return detail::to_output_type<forward_t<X, Args...>>(wrapped);
  }
};

} // namespace torch::autograd
