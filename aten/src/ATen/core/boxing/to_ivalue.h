#pragma once

#include <ATen/core/boxing/unboxed_argument.h>

// Converts a typed argument or result for the stack.
namespace c10::impl {

template <typename T>
inline IValue to_ivalue(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return IValue(static_cast<int64_t>(value));
  } else {
    return IValue(value);
  }
}
template <typename T>
IValue to_ivalue(ArrayRef<T> values);
template <typename T>
inline IValue to_ivalue(const std::optional<T>& value) {
  return value.has_value() ? to_ivalue(*value) : IValue();
}
template <typename T>
C10_NOINLINE IValue to_ivalue(ArrayRef<T> values) {
  if constexpr (
      std::is_same_v<T, int64_t> || std::is_same_v<T, double> || std::is_same_v<T, bool> ||
      std::is_same_v<T, at::Tensor>) {
    return IValue(std::vector<T>(values.begin(), values.end()));
  } else {
    std::vector<IValue> list;
    for (const T& each : values) {
      list.push_back(to_ivalue(each));
    }
    return IValue(std::move(list));
  }
}
template <typename T>
inline IValue to_ivalue(OptionalArrayRef<T> values) {
  return values.has_value() ? to_ivalue(*values) : IValue();
}
template <typename T>
inline IValue to_ivalue(const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, bool>) {
    return IValue(values);
  } else {
    return to_ivalue(ArrayRef<T>(values));
  }
}
template <typename T>
inline IValue to_ivalue(const List<T>& values) {
  return to_ivalue(values.vec());
}
template <size_t N>
inline IValue to_ivalue(const std::array<bool, N>& values) {
  return IValue(std::vector<bool>(values.begin(), values.end()));
}

C10_NOINLINE inline void push_value(torch::jit::Stack& stack, IValue&& value) {
  stack.push_back(std::move(value));
}

// Results: a tuple pushes one value per element.
template <typename T>
inline void push_result(torch::jit::Stack& stack, const T& value) {
  push_value(stack, to_ivalue(value));
}
template <typename... Ts>
inline void push_result(torch::jit::Stack& stack, const std::tuple<Ts...>& values) {
  std::apply([&](const auto&... each) { (push_value(stack, to_ivalue(each)), ...); }, values);
}

} // namespace c10::impl
