#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/BlockCache.h>
#include <c10/util/SmallMutex.h>
#include <torch/csrc/autograd/cpp_hook.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/node.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Autograd's data and functions for a tensor.
// A tensor's key set has its backend's Autograd key exactly when the tensor requires grad (as a
// leaf, or because it has a grad_fn) or is a differentiable view (an in-place change of its base
// may make it require grad at any time). So calls without gradients never enter an autograd kernel.
// Only AutogradMeta keeps the two consistent.

namespace torch::autograd {

using Variable = at::Tensor;

struct AutogradMeta;
struct DifferentiableViewMeta;

inline bool isDifferentiableType(at::ScalarType type) {
  return c10::isFloatingType(type) || c10::isComplexType(type);
}

namespace impl {

// Null if the tensor has none.
TORCH_API AutogradMeta* get_autograd_meta(const at::TensorBase& self);
TORCH_API DifferentiableViewMeta* get_view_autograd_meta(const at::TensorBase& self);
TORCH_API AutogradMeta* materialize_autograd_meta(const at::TensorBase& self);

// The node that adds to a leaf's .grad. It lives as long as a graph leads to it.
TORCH_API c10::intrusive_ptr<Node> grad_accumulator(const at::TensorBase& self);
TORCH_API c10::intrusive_ptr<Node> try_get_grad_accumulator(const at::TensorBase& self);
TORCH_API void set_grad_accumulator(
    const Variable& self, c10::weak_intrusive_ptr<Node> grad_accumulator);

// The destination of the gradient of `self`: its grad_fn or its accumulator. Invalid if `self` does
// not require grad.
TORCH_API Edge gradient_edge(const Variable& self);
TORCH_API void set_gradient_edge(const Variable& self, Edge edge);
// Sets it after an in-place change: hooks move along, and the base of a view is updated.
TORCH_API void rebase_history(const Variable& self, Edge edge);
// The stored node of `self`, which for a view may be out of date.
TORCH_API Node* grad_fn_unsafe(const Variable& self);

inline void bump_version(const Variable& self) {
  self.unsafeGetTensorImpl()->bump_version();
}
inline void set_version_counter(const Variable& self, const c10::VariableVersion& counter) {
  self.unsafeGetTensorImpl()->set_version_counter(counter);
}
inline c10::VariableVersion version_counter(const Variable& self) {
  return self.unsafeGetTensorImpl()->version_counter();
}

// The error of set_data(). Python's setter gives it as well, for wrappers of another layout.
inline constexpr char kIncompatibleData[] =
    "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible "
    "tensor type.";

TORCH_API void set_name(const Variable& self, const std::string& name);

// The dtype that gradients of a leaf are cast to: its own unless another one is set. nullopt
// accepts any.
TORCH_API std::optional<at::ScalarType> grad_dtype(const at::TensorBase& self);
TORCH_API void set_grad_dtype(const Variable& self, std::optional<at::ScalarType> dtype);

// Hooks on the gradient of `self`. The list belongs to the tensor, so the hooks outlive its nodes.
TORCH_API void add_hook(const at::TensorBase& self, std::unique_ptr<FunctionPreHook> hook);
TORCH_API std::vector<std::unique_ptr<FunctionPreHook>>& hooks(const Variable& self);
TORCH_API void clear_hooks(const at::TensorBase& self);
TORCH_API void set_post_acc_grad_hooks(
    const at::TensorBase& self, std::unique_ptr<PostAccumulateGradHook> hook);
TORCH_API std::unique_ptr<PostAccumulateGradHook>& post_acc_grad_hooks(const Variable& self);
TORCH_API void create_cpp_hook(const at::TensorBase& self);

// Whether there are no references but the caller's, so that the gradient may become a .grad or be
// written to.
inline bool is_tensor_stealable(const at::Tensor& grad, size_t num_expected_refs = 1) {
  return grad.use_count() <= num_expected_refs;
}

} // namespace impl

struct TORCH_API AutogradMeta : c10::AutogradMetaInterface, c10::impl::PooledObject {
  AutogradMeta() = default;
  // Part of a graph, or a leaf.
  AutogradMeta(at::TensorImpl* self, Edge gradient_edge);
  AutogradMeta(at::TensorImpl* self, bool requires_grad) { set_requires_grad(requires_grad, self); }

  void set_requires_grad(bool requires_grad, at::TensorImpl* self) final;
  bool requires_grad() const override { return requires_grad_ || grad_fn_; }
  Variable& mutable_grad() override { return grad_; }
  const Variable& grad() const override { return grad_; }
  const Variable& fw_grad(uint64_t level, const at::TensorBase& self) const override;
  void set_fw_grad(
      const at::TensorBase& new_grad, const at::TensorBase& self, uint64_t level,
      bool is_inplace_op) override;

  void set_gradient_edge(at::TensorImpl* self, Edge edge);
  // Adds or removes the Autograd key of `self` accordingly.
  void update_keys(at::TensorImpl* self) const;

  // Rarely used data of a tensor.
  struct Extras {
    std::string name;
    std::vector<std::unique_ptr<FunctionPreHook>> hooks;
    std::shared_ptr<hooks_list> cpp_hooks;
    std::unique_ptr<PostAccumulateGradHook> post_acc_grad_hooks;
    std::optional<std::optional<at::ScalarType>> grad_dtype; // if one was set
  };
  Extras& extras();

  Variable grad_;
  c10::intrusive_ptr<Node> grad_fn_;
  c10::weak_intrusive_ptr<Node> grad_accumulator_;
  std::unique_ptr<Extras> extras_;
  uint32_t output_nr_ = 0;
  bool requires_grad_ = false; // for a leaf
  bool retains_grad_ = false;  // for a tensor with a grad_fn
  bool is_view_ = false;
  // Lock for grad_fn() and grad_accumulator(), which create their results on demand.
  mutable c10::SmallMutex mutex_;
};

// Repeats a view on another base. Needed only where as_strided cannot, for example if the dtype
// changes.
struct TORCH_API ViewFunc {
  virtual ~ViewFunc();
  virtual at::Tensor operator()(const at::Tensor& base) const = 0;
  virtual std::unique_ptr<ViewFunc> clone() const = 0;
};

// Makes a ViewFunc from a copyable lambda.
template <typename F>
std::unique_ptr<ViewFunc> make_view_func(F&& f) {
  struct Lambda final : ViewFunc {
    explicit Lambda(F f) : f_(std::move(f)) {}
    at::Tensor operator()(const at::Tensor& base) const override { return f_(base); }
    std::unique_ptr<ViewFunc> clone() const override { return std::make_unique<Lambda>(f_); }
    F f_;
  };
  return std::make_unique<Lambda>(std::forward<F>(f));
}

// How a view was created, which determines whether it may be changed in place.
enum class CreationMeta : uint8_t {
  DEFAULT,
  IN_CUSTOM_FUNCTION,
  MULTI_OUTPUT_NODE,
  NO_GRAD_MODE,
  INFERENCE_MODE,
};

inline CreationMeta propagate_creation_meta(CreationMeta of_base, CreationMeta of_view) {
  return of_view == CreationMeta::DEFAULT || of_base == CreationMeta::INFERENCE_MODE ? of_base
                                                                                     : of_view;
}

// Throws or warns about an in-place change of a view that was not created in the default way.
// `indirect`: the change was made to its base or to another view of it.
TORCH_API void handle_view_on_rebase(DifferentiableViewMeta* view, bool indirect = false);

struct TORCH_API DifferentiableViewMeta final : AutogradMeta {
  DifferentiableViewMeta(
      at::TensorImpl* self, Variable base, std::unique_ptr<ViewFunc> view_fn,
      CreationMeta creation_meta);

  bool requires_grad() const override {
    return requires_grad_ || grad_fn_ || base_.requires_grad();
  }
  CreationMeta get_creation_meta() const { return creation_meta_; }
  void set_creation_meta(CreationMeta creation_meta) { creation_meta_ = creation_meta; }

  Variable base_; // never a view itself
  std::unique_ptr<ViewFunc> view_fn_;
  // The version for which grad_fn_ is valid; if the tensor's differs, grad_fn_ is out of date.
  uint32_t attr_version_;
  CreationMeta creation_meta_;
};

// Makes `data`, a new result of a kernel, a view of `base`.
TORCH_API Variable make_variable_differentiable_view(
    const Variable& base, const at::Tensor& data, std::unique_ptr<ViewFunc> view_fn,
    CreationMeta creation_meta);
// The same without gradients; the two tensors share their version.
TORCH_API Variable
make_variable_non_differentiable_view(const Variable& base, const at::Tensor& data);
// Returns the elements of `data` as a leaf, or as part of a graph.
TORCH_API Variable make_variable(
    at::Tensor data, bool requires_grad = false, bool allow_tensor_metadata_change = true);
TORCH_API Variable
make_variable(const at::Tensor& data, Edge gradient_edge, bool allow_tensor_metadata_change = true);

} // namespace torch::autograd
