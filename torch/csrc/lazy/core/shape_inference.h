#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/lazy/core/shape.h>

#include <optional>
#include <tuple>
#include <vector>

// The shapes of an operator's results, from its kernels for Meta tensors.
namespace torch::lazy {

// A tensor without memory that has the same shape.
TORCH_API at::Tensor to_meta(const at::Tensor& tensor);
TORCH_API std::optional<at::Tensor> to_meta(const std::optional<at::Tensor>& tensor);
TORCH_API std::vector<at::Tensor> to_meta(at::TensorList tensors);

// The shapes of what a Meta kernel returned.
inline std::vector<Shape> shapes_of(const at::Tensor& result) {
  return {Shape::of(result)};
}
template <typename... Tensors>
std::vector<Shape> shapes_of(const std::tuple<Tensors...>& results) {
  return std::apply(
      [](const auto&... result) { return std::vector<Shape>{Shape::of(result)...}; }, results);
}

} // namespace torch::lazy
