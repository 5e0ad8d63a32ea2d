#pragma once

#include <torch/csrc/autograd/function_hook.h>

#include <utility>

namespace torch::autograd {

// The gradients received by a node, summed by input.
struct TORCH_API InputBuffer {
  InputBuffer() = default;
  explicit InputBuffer(size_t size) : buffer(size) {}
  explicit InputBuffer(variable_list&& inputs) : buffer(std::move(inputs)) {}

  void add(size_t position, Variable&& var) {
    Variable& sum = buffer[position];
    if (!sum.defined()) {
      sum = std::move(var);
    } else if (var.defined()) {
      sum = accumulate(std::move(sum), std::move(var));
    }
  }
  Variable operator[](size_t position) const { return buffer[position]; }
  static variable_list variables(InputBuffer&& inputs) { return std::move(inputs.buffer); }

  variable_list buffer;

 private:
  // Adds in place if one of the two is not shared.
  static Variable accumulate(Variable&& sum, Variable&& var);
};

} // namespace torch::autograd
