#pragma once
// The arguments of calls, for profiles: what they were, without keeping tensors alive.
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <torch/csrc/python_headers.h>

#include <cstdint>
#include <vector>

namespace torch::autograd {

// An argument: a tensor, a list of tensors, a value, or none of them (kind Other).
struct ProfiledInput {
  enum class Kind : uint8_t { Tensor, TensorList, Value, Other };

  Kind kind = Kind::Other;
  std::vector<int64_t> dtypes; // one for each tensor
  std::vector<std::vector<int64_t>> sizes;
  std::vector<std::vector<int64_t>> strides;
  c10::IValue value; // a number, or a short list of numbers
};

std::vector<ProfiledInput> profiled_inputs(const jit::Stack& stack, size_t arguments);
std::vector<ProfiledInput> profiled_inputs(const std::vector<at::Tensor>& tensors);

// Returns a list with (kind, dtypes, sizes, strides, value) of each input.
PyObject* inputs_to_python(const std::vector<ProfiledInput>& inputs);

} // namespace torch::autograd
