${generated}
#include <ATen/LegacyTHDispatcher.h>

${headers}

namespace at {

${methods}

const LegacyTHDispatcher& legacyTHDispatcher(const Tensor& tensor) {
  TORCH_CHECK(tensor.is_cpu(), "at::legacy::th has functions for CPU tensors only, not for ", tensor.device());
  switch (tensor.scalar_type()) {
    ${cases}
    default:
      TORCH_CHECK(false, "at::legacy::th has no functions for tensors of ", tensor.scalar_type());
  }
}

} // namespace at
//@section method
${returns} LegacyTHDispatcher::${name}(${arguments}) const {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "${name} is not implemented for type ", name_);
}
