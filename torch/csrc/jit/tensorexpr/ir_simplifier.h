#pragma once

#include <torch/csrc/jit/tensorexpr/ir.h>

namespace torch::jit::tensorexpr {

// The same program with indices as sums, without loops of one iteration or none, and without
// conditions that the loops decide.
TORCH_API StmtPtr simplify(const StmtPtr& stmt);
TORCH_API ExprPtr simplify(const ExprPtr& expr);

} // namespace torch::jit::tensorexpr
