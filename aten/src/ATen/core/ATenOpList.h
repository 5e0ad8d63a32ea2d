#pragma once

#include <c10/macros/Export.h>

#include <string_view>

namespace at {

// Whether native_functions.yaml declares this operator, given by a name such as "aten::add.Tensor".
TORCH_API bool is_aten_op(std::string_view name);

} // namespace at
