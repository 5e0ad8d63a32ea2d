#pragma once

// Copies of an operator's arguments for objects that outlive the call: nodes and views.

#include <ATen/core/DimVector.h>
#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/OptionalArrayRef.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torch::autograd {

inline at::DimVector owned(at::IntArrayRef list) {
  return at::DimVector(list.begin(), list.end());
}
template <typename T>
std::vector<T> owned(c10::ArrayRef<T> list) {
  return list.vec();
}
template <typename T>
std::optional<std::vector<T>> owned(c10::OptionalArrayRef<T> list) {
  return list.has_value() ? std::optional(list->vec()) : std::nullopt;
}
template <typename T>
std::optional<std::vector<T>> owned(const std::optional<c10::ArrayRef<T>>& list) {
  return list.has_value() ? std::optional(list->vec()) : std::nullopt;
}
inline std::string owned(std::string_view text) {
  return std::string(text);
}
inline std::optional<std::string> owned(const std::optional<std::string_view>& text) {
  return text.has_value() ? std::optional(std::string(*text)) : std::nullopt;
}

// Copies tensors that are about to be overwritten.
TORCH_API at::Tensor cloned(const at::Tensor& tensor);
TORCH_API std::vector<at::Tensor> cloned(at::TensorList tensors);

// Releases the tensors; unpacking the list afterwards is an error.
inline void release_list(std::vector<SavedVariable>& list) {
  for (SavedVariable& each : list) {
    each.reset_data();
  }
}

} // namespace torch::autograd
