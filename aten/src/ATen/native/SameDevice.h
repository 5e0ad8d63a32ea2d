#pragma once

#include <ATen/core/TensorBase.h>

namespace at::native {

// For kernels that read memory: a Meta tensor next to a CPU tensor has none.
inline void check_same_device(const TensorBase& a, const TensorBase& b) {
  TORCH_CHECK(
      a.device() == b.device(),
      "Expected all tensors to be on the same device, but found at least two devices, ", a.device(),
      " and ", b.device(), "!");
}

} // namespace at::native
