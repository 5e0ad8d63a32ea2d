#pragma once

#include <ATen/core/dispatch/OperatorInfo.h>
#include <ATen/core/ivalue.h>

#include <cstddef>
#include <utility>

// The argument stack of boxed kernels: arguments are pushed in the schema's order, and the kernel
// replaces them with its results.
namespace torch::jit {

inline IValue& peek(Stack& stack, size_t i, size_t n) {
  return stack[stack.size() - n + i];
}

inline void drop(Stack& stack, size_t n) {
  stack.erase(stack.end() - static_cast<std::ptrdiff_t>(n), stack.end());
}

inline IValue pop(Stack& stack) {
  IValue value = std::move(stack.back());
  stack.pop_back();
  return value;
}

template <typename... Types>
inline void push(Stack& stack, Types&&... values) {
  (stack.emplace_back(std::forward<Types>(values)), ...);
}

} // namespace torch::jit
