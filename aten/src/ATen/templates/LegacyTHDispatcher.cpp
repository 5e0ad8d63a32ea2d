${generated}
#include <ATen/LegacyTHDispatcher.h>

#include <array>

namespace at {
namespace {

// Filled when libraries are loaded: one row for each back end.
constexpr std::array kDevices{kCPU, kCUDA};
std::array<std::array<const LegacyTHDispatcher*, c10::NumScalarTypes>, kDevices.size()> dispatchers;

const LegacyTHDispatcher** dispatcher_of(DeviceType device, ScalarType type) {
  for (size_t i = 0; i < kDevices.size(); ++i) {
    if (kDevices[i] == device) return &dispatchers[i][static_cast<size_t>(type)];
  }
  return nullptr;
}

} // namespace

${methods}

RegisterLegacyTHDispatcher::RegisterLegacyTHDispatcher(
    DeviceType device, ScalarType type, const LegacyTHDispatcher& dispatcher) {
  *dispatcher_of(device, type) = &dispatcher;
}

const LegacyTHDispatcher& legacyTHDispatcher(const Tensor& tensor) {
  const LegacyTHDispatcher** found = dispatcher_of(tensor.device().type(), tensor.scalar_type());
  TORCH_CHECK(
      found && *found, "at::legacy::th has no functions for tensors of ", tensor.scalar_type(), " on ", tensor.device());
  return **found;
}

} // namespace at
//@section method
${returns} LegacyTHDispatcher::${name}(${arguments}) const {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "${name} is not implemented for type ", name_);
}
