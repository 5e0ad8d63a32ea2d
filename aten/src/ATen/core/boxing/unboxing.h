#pragma once

#include <ATen/core/boxing/boxing.h>

// What the generated functions of at::unboxing share.
namespace c10::impl {

// Calls `f` with the last `count` values of the stack and replaces them with its result.
template <size_t count, typename F>
void call_with_values(torch::jit::Stack& stack, F&& f) {
  const IValue* values = last_values(stack, count);
  const size_t below = stack.size() - count;
  // A result may be a reference to an argument, so it is pushed before the arguments are dropped.
  if constexpr (std::is_void_v<decltype(f(values))>) {
    f(values);
  } else {
    push_result(stack, f(values));
  }
  erase_values(stack, below, count);
}

} // namespace c10::impl
