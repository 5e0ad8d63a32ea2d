${generated}

#include <ATen/core/ATenOpList.h>

#include <algorithm>
#include <string_view>

namespace at {
namespace {

/// Sorted names with namespace and overload.
constexpr std::string_view names[] = {
  ${names}
};

}  // namespace

bool is_aten_op(std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

std::string_view selected_op_list() {
  return "${selected}";
}

std::string left_out_message(std::string_view name) {
  const std::string text(name);
  return "'" + text + "' was left out of this build: SELECTED_OP_LIST=${selected} does not name it. "
      "Record the program again with `python -m torch.utils.record_operators`, or add a line "
      "`- operator: " + text + "` to the list, and build again.";
}

}  // namespace at
