#pragma once

// The check that the tensors of a call are on one device, which generated wrappers make for back
// ends other than the CPU: their kernels would otherwise read memory that the device, or the host,
// cannot.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <optional>

namespace at {

// Takes the tensors one by one, each with the name of its argument, and throws at the first one
// that is on another device than those before it. Undefined tensors are on none.
class TORCH_API DeviceCheck {
 public:
  // The wrapper that the error names.
  explicit DeviceCheck(const char* method) : method_(method) {}

  DeviceCheck& operator()(const char* name, const Tensor& tensor) {
    if (tensor.defined()) {
      const c10::Device device = tensor.device();
      if (!common_.has_value()) {
        common_ = device;
      } else if (device != *common_) {
        fail(name, device);
      }
    }
    return *this;
  }
  DeviceCheck& operator()(const char* name, const std::optional<Tensor>& tensor) {
    return tensor.has_value() ? (*this)(name, *tensor) : *this;
  }
  DeviceCheck& operator()(const char* name, TensorList tensors) { return each(name, tensors); }
  DeviceCheck& operator()(const char* name, const c10::List<std::optional<Tensor>>& tensors) {
    return each(name, tensors);
  }

 private:
  template <class List>
  DeviceCheck& each(const char* name, const List& tensors) {
    for (const auto& tensor : tensors) {
      (*this)(name, tensor);
    }
    return *this;
  }
  [[noreturn]] void fail(const char* name, c10::Device device) const;

  const char* method_;
  std::optional<c10::Device> common_;
};

} // namespace at
