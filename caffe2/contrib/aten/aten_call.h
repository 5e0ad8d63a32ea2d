#pragma once

#include <caffe2/core/argument_helper.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/List.h>

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What the generated implementations of ATenOp share.
namespace caffe2::aten {

// The inputs and arguments of a Caffe2 operator, as the parameters of an operator of ATen. What it
// returns lives until the call ends.
class C10_EXPORT ATenCall {
 public:
  ATenCall(const OperatorDef& definition, const std::vector<at::Tensor>& inputs)
      : definition_(definition), inputs_(inputs) {}

  // The position of an input that `count` others follow.
  size_t from_end(size_t count) const { return inputs_.size() - count - 1; }
  const at::Tensor& tensor(size_t index) const;
  // Without a value for an input that was left out, or has no name.
  std::optional<at::Tensor> optional_tensor(size_t index) const;
  // All inputs from `first`, except the last `after`.
  at::TensorList tensors(size_t first, size_t after) const;
  c10::List<std::optional<at::Tensor>> optional_tensors(size_t first, size_t after) const;

  // Where an operator that makes a tensor puts it; without a value, with its inputs or on the CPU.
  std::optional<at::Device> device() const;

  template <typename T>
  T get(const char* name) const {
    return GetArgument<T>(definition_, name);
  }
  template <typename T>
  T get(const char* name, T otherwise) const {
    return GetArgument<T>(definition_, name, std::move(otherwise));
  }

 private:
  const OperatorDef& definition_;
  const std::vector<at::Tensor>& inputs_;
};

// An overload of ATen, and the calls that choose it.
struct Implementation {
  const char* key; // unique: the operator, the arguments that must be given, the number of inputs
  const char* name;
  const char* overload;
  const char* required; // names of arguments, separated by spaces
  const char* optional;
  int inputs; // or -1: at least as many as the schema has tensors outside of its list
  std::vector<at::Tensor> (*run)(const ATenCall& call);
};

using ImplementationTable = std::span<const Implementation>;

// The implementation for an operator's arguments and number of inputs: the one that takes all of
// its arguments and requires most of them. Errors list the overloads that exist.
C10_EXPORT const Implementation& find_implementation(
    const OperatorDef& definition, const std::vector<ImplementationTable>& tables);

// The results of a call as tensors; numbers become tensors without dimensions.
inline std::vector<at::Tensor> tensors_of(at::Tensor result) {
  return {std::move(result)};
}
inline std::vector<at::Tensor> tensors_of(std::vector<at::Tensor> results) {
  return results;
}
C10_EXPORT std::vector<at::Tensor> tensors_of(const at::Scalar& result);

template <typename... T>
std::vector<at::Tensor> tensors_of(std::tuple<T...> results) {
  std::vector<at::Tensor> all;
  const auto add = [&](std::vector<at::Tensor> some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  std::apply([&](auto&... result) { (add(tensors_of(result)), ...); }, results);
  return all;
}

} // namespace caffe2::aten
