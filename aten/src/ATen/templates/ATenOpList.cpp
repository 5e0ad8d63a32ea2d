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

}  // namespace at
