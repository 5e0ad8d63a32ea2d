#include <ATen/Dispatch.h>

namespace at::detail {

void dispatch_unsupported(const char* name, c10::ScalarType type) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, '"', name, "\" not implemented for '", c10::toString(type), "'");
  C10_UNREACHABLE();
}

} // namespace at::detail
