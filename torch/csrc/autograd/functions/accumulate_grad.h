#pragma once

#include <torch/csrc/autograd/node.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

// The end of the graph at a leaf: adds incoming gradients to the leaf's .grad.
struct TORCH_API AccumulateGrad final : Node {
  explicit AccumulateGrad(Variable variable);

  variable_list apply(variable_list&& grads) override;
  std::vector<std::unique_ptr<FunctionPreHook>>* tensor_pre_hooks() override {
    return &impl::hooks(variable);
  }
  PostAccumulateGradHook* tensor_post_acc_grad_hooks() const override {
    return impl::post_acc_grad_hooks(variable).get();
  }

  Variable variable;

 private:
  // The leaf holds a weak reference to this node, and the node a strong one to the leaf.
  void release_resources() override;
};

// Whether a gradient must have the dimension order of its leaf to become .grad without a copy. The
// setting belongs to the thread.
TORCH_API bool is_grad_layout_enforced();
TORCH_API void set_grad_layout_enforced(bool enforced);

} // namespace torch::autograd
