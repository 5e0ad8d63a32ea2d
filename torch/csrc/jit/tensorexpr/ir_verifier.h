#pragma once

#include <torch/csrc/jit/tensorexpr/ir.h>

namespace torch::jit::tensorexpr {

// Raises ValueError unless each variable is that of a loop around its use, no two loops have the
// same variable, and stores have an index for each dimension and the buffer's type.
TORCH_API void verify(const StmtPtr& stmt);

} // namespace torch::jit::tensorexpr
