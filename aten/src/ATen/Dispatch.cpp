#include <ATen/Dispatch.h>
#if __has_include(<ATen/selected_dtypes.h>) // a build with SELECTED_OP_LIST
#include <ATen/core/ATenOpList.h>
#include <ATen/selected_dtypes.h>
#endif

namespace at::detail {

void dispatch_unsupported(const char* name, c10::ScalarType type) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, '"', name, "\" not implemented for '", c10::toString(type), "'");
  C10_UNREACHABLE();
}

#if __has_include(<ATen/selected_dtypes.h>)
void dtype_left_out(c10::ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "dtype '", c10::toString(dtype),
      "' was left out of this build: no operator of "
      "SELECTED_OP_LIST=",
      selected_op_list(),
      " has it. Record the program again with `python -m "
      "torch.utils.record_operators`, or add ",
      c10::toString(dtype),
      " to the `dtypes:` of an "
      "operator in the list, and build again.");
  C10_UNREACHABLE();
}
#endif

} // namespace at::detail
