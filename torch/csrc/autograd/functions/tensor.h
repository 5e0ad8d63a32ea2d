#pragma once

#include <ATen/TensorGeometry.h>
#include <torch/csrc/autograd/function.h>

#include <memory>

namespace torch::autograd {

// copy_: the overwritten tensor gets no gradient, the source gets all of it.
struct TORCH_API CopyBackwards final : Node {
  variable_list apply(variable_list&& grads) override;

  at::TensorOptions src_options;
};

// An in-place change of a view, as the history of its base: outside the view, the gradient of the
// base passes through; inside, it goes through the function that changed the view.
struct TORCH_API CopySlices final : Node {
  CopySlices(
      const Variable& base, at::TensorGeometry view, std::unique_ptr<ViewFunc> view_fn,
      c10::intrusive_ptr<Node> fn);
  variable_list apply(variable_list&& inputs) override;
  void release_variables() override;
  void will_release_variables() override;

  at::TensorGeometry base;
  at::TensorGeometry view;
  std::unique_ptr<ViewFunc> view_fn;
  c10::intrusive_ptr<Node> fn;
};

} // namespace torch::autograd
