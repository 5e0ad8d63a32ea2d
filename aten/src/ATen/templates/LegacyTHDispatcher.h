${generated}
#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

namespace at {

/// The C functions of one backend and element type. A function that the type does not have is an error.
class TORCH_API LegacyTHDispatcher {
 public:
  LegacyTHDispatcher(const char* name) : name_(name) {}
  virtual ~LegacyTHDispatcher() = default;

  ${methods}

 private:
  const char* name_;
};

/// Makes a dispatcher known while its library is loaded.
struct TORCH_API RegisterLegacyTHDispatcher {
  RegisterLegacyTHDispatcher(DeviceType device, ScalarType type, const LegacyTHDispatcher& dispatcher);
};

/// The dispatcher for the backend and the element type of a tensor.
TORCH_API const LegacyTHDispatcher& legacyTHDispatcher(const Tensor& tensor);

} // namespace at
