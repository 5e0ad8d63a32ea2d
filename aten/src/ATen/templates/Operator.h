${generated}
#pragma once

#include <ATen/core/ATen_fwd.h>
${includes}

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace at::_ops {

${operators}
}  // namespace at::_ops
//@section operator
// ${schema}
struct TORCH_API ${struct} {
  using schema = ${function_type};
  using ptr_schema = schema*;
  static constexpr const char* name = "${name}";
  static constexpr const char* overload_name = "${overload}";
  static constexpr const char* schema_str = "${escaped_schema}";
  static c10::OperatorEntry entry;
  static ${call};
  static ${redispatch};
};

