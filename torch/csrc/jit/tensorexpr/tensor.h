#pragma once

// Tensors that an expression of their indices defines.

#include <torch/csrc/jit/tensorexpr/ir.h>

namespace torch::jit::tensorexpr {

struct Tensor {
  BufHandle buf;
  StmtPtr stmt; // the loops that store all of its elements
  ExprHandle load(const std::vector<ExprHandle>& indices) const { return buf.load(indices); }
};

using Body = std::function<ExprHandle(const std::vector<VarHandle>&)>;

// The tensor whose element at the indices is `body(indices)`.
TORCH_API Tensor
Compute(const std::string& name, const std::vector<int64_t>& sizes, const Body& body);

// How a reduction combines elements, and what it starts from.
struct TORCH_API Reducer {
  BinaryOp op;
  std::function<ExprHandle(Dtype)> initial;
  static Reducer Sum();
  static Reducer Product();
  static Reducer Maximum();
  static Reducer Minimum();
};

// The tensor whose element at the indices combines `body(indices and reduced indices)`.
TORCH_API Tensor Reduce(
    const std::string& name, const std::vector<int64_t>& sizes, const Reducer& reducer,
    const Body& body, const std::vector<int64_t>& reduced_sizes);

} // namespace torch::jit::tensorexpr
