#pragma once

#include <c10/macros/Export.h>

#include <string>
#include <string_view>

namespace at {

// Whether native_functions.yaml declares this operator, given by a name such as "aten::add.Tensor".
TORCH_API bool is_aten_op(std::string_view name);

// The list of operators of a selective build, SELECTED_OP_LIST; empty if all operators are built.
TORCH_API std::string_view selected_op_list();

// Says that a selective build does not have an operator, and how to add it.
TORCH_API std::string left_out_message(std::string_view name);

} // namespace at
