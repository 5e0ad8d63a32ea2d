#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/lazy/core/ir.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

// What generated nodes are made of.
namespace torch::lazy {

// How a node owns a list that an operator gets by reference.
inline std::vector<int64_t> owned(at::IntArrayRef list) {
  return list.vec();
}
inline std::vector<double> owned(at::ArrayRef<double> list) {
  return list.vec();
}
inline std::optional<std::vector<int64_t>> owned(const at::OptionalIntArrayRef& list) {
  return list ? std::optional(list->vec()) : std::nullopt;
}
inline std::optional<std::vector<double>> owned(const std::optional<at::ArrayRef<double>>& list) {
  return list ? std::optional(list->vec()) : std::nullopt;
}
inline std::string owned(c10::string_view text) {
  return std::string(text);
}
inline std::optional<std::string> owned(const std::optional<c10::string_view>& text) {
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

namespace detail {

template <typename T>
void append(std::vector<T>& all, const T& value) {
  all.push_back(value);
}
template <typename T>
void append(std::vector<T>& all, const std::optional<T>& value) {
  if (value) all.push_back(*value);
}
template <typename T>
void append(std::vector<T>& all, const std::vector<T>& values) {
  all.insert(all.end(), values.begin(), values.end());
}

template <typename T, typename... Parts>
std::vector<T> gathered(const Parts&... parts) {
  std::vector<T> all;
  (append(all, parts), ...);
  return all;
}

} // namespace detail

// The operands of a call: optional ones if they are present, and the elements of lists.
template <typename... Values>
std::vector<Value> operands_of(const Values&... values) {
  return detail::gathered<Value>(values...);
}
template <typename... Scalars>
std::vector<at::Scalar> scalars_of(const Scalars&... scalars) {
  return detail::gathered<at::Scalar>(scalars...);
}

// The results of an operator as a list.
inline std::vector<at::Tensor> results_of(at::Tensor result) {
  return {std::move(result)};
}
template <typename... Tensors>
std::vector<at::Tensor> results_of(std::tuple<Tensors...> results) {
  return std::apply(
      [](auto&... result) { return std::vector<at::Tensor>{std::move(result)...}; }, results);
}

} // namespace torch::lazy
