#pragma once

// Tensor expressions: immutable trees of scalar expressions, and of the loops that store them.
// Sizes are constants, and indices are of type int64.

#include <c10/core/ScalarType.h>
#include <c10/macros/Export.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace torch::jit::tensorexpr {

using Dtype = c10::ScalarType; // Bool, Int, Long, Float or Double

struct Expr;
struct Stmt;
using ExprPtr = std::shared_ptr<const Expr>;
using StmtPtr = std::shared_ptr<const Stmt>;

// A variable or a buffer is the same as another only if it has the same number.
struct Var {
  std::string name;
  int64_t id;
};

struct Buf {
  std::string name;
  Dtype dtype;
  std::vector<int64_t> sizes;
  int64_t id;
};
using BufPtr = std::shared_ptr<const Buf>;

enum class BinaryOp { Add, Sub, Mul, Div, Mod, Max, Min, And, Or };
enum class CompareOp { EQ, NE, LT, LE };
enum class IntrinsicOp { Abs, Exp, Log, Sqrt, Sin, Cos, Tanh, Floor, Ceil };

struct Immediate {
  std::variant<int64_t, double> value; // an integer for bool, int and long
};
struct Binary {
  BinaryOp op;
  ExprPtr left, right;
};
struct Compare {
  CompareOp op;
  ExprPtr left, right;
};
struct Cast {
  ExprPtr value;
};
// Only the chosen side is evaluated.
struct Select {
  ExprPtr condition, yes, no;
};
struct Intrinsic {
  IntrinsicOp op;
  ExprPtr value;
};
struct Load {
  BufPtr buf;
  std::vector<ExprPtr> indices;
};

struct Expr {
  Dtype dtype;
  std::variant<Immediate, Var, Binary, Compare, Cast, Select, Intrinsic, Load> node;
};

enum class LoopMode { Serial, Parallel, Vectorized };

struct Block {
  std::vector<StmtPtr> stmts;
};
struct For {
  Var var;
  int64_t start, stop;
  StmtPtr body;
  LoopMode mode = LoopMode::Serial;
};
struct Store {
  BufPtr buf;
  std::vector<ExprPtr> indices;
  ExprPtr value;
};
struct Cond {
  ExprPtr condition;
  StmtPtr body;
};
// Memory for `buf` until the block ends.
struct Allocate {
  BufPtr buf;
};
// Calls a registered external function, which stores all of `buf`.
struct Call {
  BufPtr buf;
  std::string function;
  std::vector<BufPtr> inputs;
  std::vector<int64_t> arguments; // the words that the function takes
};

struct Stmt {
  std::variant<Block, For, Store, Cond, Allocate, Call> node;
};

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

using ExprMap = std::function<ExprPtr(const ExprPtr&)>;
// The same node over `f` of its children; `expr` itself if none changes.
TORCH_API ExprPtr map_children(const ExprPtr& expr, const ExprMap& f);
TORCH_API void for_each_child(const Expr& expr, const std::function<void(const ExprPtr&)>& f);
// `f` of each expression that `stmt` itself or a statement inside it has.
TORCH_API StmtPtr map_exprs(const StmtPtr& stmt, const ExprMap& f);
// The same node over `f` of its statements. Blocks drop null statements and flatten inner blocks.
TORCH_API StmtPtr map_stmts(const StmtPtr& stmt, const std::function<StmtPtr(const StmtPtr&)>& f);
TORCH_API StmtPtr make_block(const std::vector<StmtPtr>& stmts);
template <class Node>
StmtPtr make_stmt(Node node) {
  return std::make_shared<const Stmt>(Stmt{std::move(node)});
}

// Replaces the variable everywhere.
TORCH_API ExprPtr substitute(const ExprPtr& expr, const Var& var, const ExprPtr& value);
TORCH_API StmtPtr substitute(const StmtPtr& stmt, const Var& var, const ExprPtr& value);

// An expression in C++ notation: operators and functions build trees, and operands are promoted.
class TORCH_API ExprHandle {
 public:
  ExprHandle(bool value);
  ExprHandle(int value);
  ExprHandle(int64_t value);
  ExprHandle(float value);
  ExprHandle(double value);
  explicit ExprHandle(ExprPtr node) : node_(std::move(node)) {}
  const ExprPtr& node() const { return node_; }
  Dtype dtype() const { return node_->dtype; }

 private:
  ExprPtr node_;
};

class TORCH_API VarHandle : public ExprHandle {
 public:
  explicit VarHandle(const std::string& name); // a new variable of type int64
  explicit VarHandle(const Var& var);
  const Var& var() const { return std::get<Var>(node()->node); }
};

class TORCH_API BufHandle {
 public:
  BufHandle(const std::string& name, const std::vector<int64_t>& sizes, Dtype dtype);
  explicit BufHandle(BufPtr node) : node_(std::move(node)) {}
  const BufPtr& node() const { return node_; }
  ExprHandle load(const std::vector<ExprHandle>& indices) const;

 private:
  BufPtr node_;
};

TORCH_API ExprHandle make_immediate(Dtype dtype, std::variant<int64_t, double> value);
TORCH_API ExprHandle binary(BinaryOp op, ExprHandle left, ExprHandle right);
TORCH_API ExprHandle compare(CompareOp op, ExprHandle left, ExprHandle right);
TORCH_API ExprHandle cast(const ExprHandle& value, Dtype dtype);
TORCH_API ExprHandle ifThenElse(const ExprHandle& condition, ExprHandle yes, ExprHandle no);
TORCH_API ExprHandle intrinsic(IntrinsicOp op, const ExprHandle& value);

// Operators and functions in C++ notation, each of which makes one node.
#define TENSOREXPR_BINARY(_) _(+, Add) _(-, Sub) _(*, Mul) _(/, Div) _(%, Mod) _(&&, And) _(||, Or)
#define TENSOREXPR_DEFINE(symbol, op)                                           \
  inline ExprHandle operator symbol(const ExprHandle& a, const ExprHandle& b) { \
    return binary(BinaryOp::op, a, b);                                          \
  }
TENSOREXPR_BINARY(TENSOREXPR_DEFINE)
#undef TENSOREXPR_DEFINE
inline ExprHandle operator<(const ExprHandle& a, const ExprHandle& b) {
  return compare(CompareOp::LT, a, b);
}
inline ExprHandle operator>(const ExprHandle& a, const ExprHandle& b) {
  return compare(CompareOp::LT, b, a);
}
inline ExprHandle operator<=(const ExprHandle& a, const ExprHandle& b) {
  return compare(CompareOp::LE, a, b);
}
inline ExprHandle operator>=(const ExprHandle& a, const ExprHandle& b) {
  return compare(CompareOp::LE, b, a);
}
inline ExprHandle operator!=(const ExprHandle& a, const ExprHandle& b) {
  return compare(CompareOp::NE, a, b);
}
inline ExprHandle operator==(const ExprHandle& a, const ExprHandle& b) {
  return compare(CompareOp::EQ, a, b);
}
// A NaN operand gives NaN, as in at::maximum.
inline ExprHandle Max(const ExprHandle& a, const ExprHandle& b) {
  return binary(BinaryOp::Max, a, b);
}
inline ExprHandle Min(const ExprHandle& a, const ExprHandle& b) {
  return binary(BinaryOp::Min, a, b);
}
#define TENSOREXPR_INTRINSICS(_) \
  _(abs, Abs)                    \
  _(exp, Exp)                    \
  _(log, Log)                    \
  _(sqrt, Sqrt)                  \
  _(sin, Sin)                    \
  _(cos, Cos)                    \
  _(tanh, Tanh)                  \
  _(floor, Floor)                \
  _(ceil, Ceil)
#define TENSOREXPR_DEFINE(name, op)                 \
  inline ExprHandle name(const ExprHandle& value) { \
    return intrinsic(IntrinsicOp::op, value);       \
  }
TENSOREXPR_INTRINSICS(TENSOREXPR_DEFINE)
#undef TENSOREXPR_DEFINE

} // namespace torch::jit::tensorexpr
