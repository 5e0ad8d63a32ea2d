#pragma once

// Text of expressions and statements: C++ declarations and loops that a compiler accepts.

#include <torch/csrc/jit/tensorexpr/ir.h>

namespace torch::jit::tensorexpr {

TORCH_API std::string to_string(const ExprPtr& expr);
TORCH_API std::string to_string(const StmtPtr& stmt);
TORCH_API const char* cpp_type(Dtype dtype);
// The variable that points to an external function.
TORCH_API std::string function_variable(const std::string& function);
// NAME_ID, unique in any text.
TORCH_API std::string unique_name(const std::string& name, int64_t id);

} // namespace torch::jit::tensorexpr
