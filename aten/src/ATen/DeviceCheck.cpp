#include <ATen/DeviceCheck.h>

#include <c10/util/Exception.h>

namespace at {

void DeviceCheck::fail(const char* name, c10::Device device) const {
  TORCH_CHECK(
      false, "Expected all tensors to be on the same device, but got ", name, " is on ", device,
      ", different from other tensors on ", *common_, " (when checking argument in method ",
      method_, ")");
}

} // namespace at
