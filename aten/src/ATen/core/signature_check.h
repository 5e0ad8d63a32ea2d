#pragma once

#include <ATen/core/function_schema.h>

#include <string>

namespace c10 {

// Throws unless the signature of a C++ kernel, as an inferred schema, has the argument and result
// types that the operator declares. Names, defaults and annotations exist only in the declaration.
TORCH_API void check_signature(
    const FunctionSchema& declared, const FunctionSchema& inferred, const std::string& origin);

} // namespace c10
