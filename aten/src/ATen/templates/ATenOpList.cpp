${generated}

#include <ATen/core/ATenOpList.h>

#include <string>
#include <string_view>

namespace at {
namespace {

/// Names with namespace and overload, a line each; one string, because an array of strings is
/// relocated when the library loads.
constexpr std::string_view names =
  "\n"
  ${names};

}  // namespace

bool is_aten_op(std::string_view name) {
  return names.find('\n' + std::string(name) + '\n') != std::string_view::npos;
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
