#pragma once

// The device of a call, which generated wrappers make current for back ends that have one.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include <optional>

namespace at {

// The tensor's device; none if the tensor is undefined.
inline std::optional<c10::Device> device_of(const Tensor& tensor) {
  return tensor.defined() ? std::optional<c10::Device>(tensor.device()) : std::nullopt;
}
inline std::optional<c10::Device> device_of(const std::optional<Tensor>& tensor) {
  return tensor.has_value() ? device_of(*tensor) : std::nullopt;
}
// The device of the first defined tensor.
template <class List>
std::optional<c10::Device> device_of_first(const List& tensors) {
  for (const auto& tensor : tensors) {
    if (const auto device = device_of(tensor)) {
      return device;
    }
  }
  return std::nullopt;
}
inline std::optional<c10::Device> device_of(TensorList tensors) {
  return device_of_first(tensors);
}
inline std::optional<c10::Device> device_of(const c10::List<std::optional<Tensor>>& tensors) {
  return device_of_first(tensors);
}

} // namespace at
