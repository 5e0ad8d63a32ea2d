#pragma once

#include <ATen/core/boxing/to_ivalue.h>
#include <ATen/core/dispatch/OperatorEntry.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

// Converts between typed and boxed calls, in both directions. Instantiated once per signature, so
// operators with the same signature share the code.
namespace c10 {

namespace impl {

// Code that does not depend on the signature is kept out of line.

C10_NOINLINE inline const IValue* last_values(const torch::jit::Stack& stack, size_t count) {
  TORCH_INTERNAL_ASSERT(stack.size() >= count, "too few values on the stack");
  return stack.data() + (stack.size() - count);
}

C10_NOINLINE inline void erase_values(torch::jit::Stack& stack, size_t first, size_t count) {
  const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(first);
  stack.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
}

C10_NOINLINE inline torch::jit::Stack run_boxed(
    OperatorEntry& entry, DispatchKeySet keys, IValue* arguments, size_t count) {
  torch::jit::Stack stack(
      std::make_move_iterator(arguments), std::make_move_iterator(arguments + count));
  entry.call_boxed(keys, &stack);
  return stack;
}

template <typename Signature>
struct boxing;

template <typename Ret, typename... Args>
struct boxing<Ret(Args...)> {
  using Kernel = Ret (*)(DispatchKeySet, Args...);

  // Runs any callable of this signature on the arguments at the top of the stack.
  template <typename Callable>
  static void call(Callable&& callable, torch::jit::Stack* stack) {
    call_each(callable, stack, std::index_sequence_for<Args...>());
  }

  static void call_boxed(KernelPtr kernel, DispatchKeySet keys, torch::jit::Stack* stack) {
    const auto typed = reinterpret_cast<Kernel>(kernel);
    call([&](Args... args) -> Ret { return typed(keys, std::forward<Args>(args)...); }, stack);
  }

  // Runs an operator's boxed kernel on typed arguments.
  static Ret box(OperatorEntry& entry, DispatchKeySet keys, Args... args) {
    std::array<IValue, sizeof...(Args)> arguments{to_ivalue(args)...};
    torch::jit::Stack stack = run_boxed(entry, keys, arguments.data(), arguments.size());
    if constexpr (!std::is_void_v<Ret>) {
      return result(stack, std::forward<Args>(args)...);
    }
  }

 private:
  template <typename Callable, size_t... I>
  static void call_each(Callable& callable, torch::jit::Stack* stack, std::index_sequence<I...>) {
    constexpr size_t count = sizeof...(Args);
    [[maybe_unused]] const IValue* first = last_values(*stack, count);
    const size_t below = stack->size() - count;
    // A result may be a reference to an argument, so it is pushed before the arguments are dropped.
    if constexpr (std::is_void_v<Ret>) {
      callable(unboxed_argument<Args>(first[I]).get()...);
    } else {
      push_result(*stack, callable(unboxed_argument<Args>(first[I]).get()...));
    }
    erase_values(*stack, below, count);
  }

  // A kernel that returns references returns its own mutable arguments: the first one if it works
  // in place, the last ones if it has out arguments.
  static Ret result(torch::jit::Stack& stack, Args... args) {
    if constexpr (std::is_reference_v<Ret>) {
      auto all = std::forward_as_tuple(args...);
      using First = std::tuple_element_t<0, std::tuple<Args...>>;
      if constexpr (std::is_same_v<First, Ret>) {
        return std::get<0>(all);
      } else {
        return std::get<sizeof...(Args) - 1>(all);
      }
    } else {
      return take(stack, static_cast<std::remove_cv_t<Ret>*>(nullptr), args...);
    }
  }
  template <typename T>
  static T take(torch::jit::Stack& stack, T*, Args&...) {
    TORCH_INTERNAL_ASSERT(stack.size() == 1, "a boxed kernel must leave its result on the stack");
    return from_ivalue<T>::convert(stack[0]);
  }
  template <typename... Ts>
  static std::tuple<Ts...> take(torch::jit::Stack& stack, std::tuple<Ts...>*, Args&... args) {
    if constexpr ((std::is_reference_v<Ts> && ...)) {
      auto all = std::forward_as_tuple(args...);
      return last<sizeof...(Args) - sizeof...(Ts), Ts...>(all, std::index_sequence_for<Ts...>());
    } else {
      TORCH_INTERNAL_ASSERT(stack.size() == sizeof...(Ts), "a boxed kernel left too few results");
      return convert_all<Ts...>(stack, std::index_sequence_for<Ts...>());
    }
  }
  template <size_t offset, typename... Ts, typename All, size_t... I>
  static std::tuple<Ts...> last(All& all, std::index_sequence<I...>) {
    return std::tuple<Ts...>(std::get<offset + I>(all)...);
  }
  template <typename... Ts, size_t... I>
  static std::tuple<Ts...> convert_all(torch::jit::Stack& stack, std::index_sequence<I...>) {
    return std::tuple<Ts...>(from_ivalue<Ts>::convert(stack[I])...);
  }
};

} // namespace impl
} // namespace c10
