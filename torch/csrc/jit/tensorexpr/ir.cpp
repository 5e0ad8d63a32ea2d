#include <torch/csrc/jit/tensorexpr/ir.h>

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace torch::jit::tensorexpr {
namespace {

int64_t next_id() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

constexpr std::array<Dtype, 5> dtypes{
    Dtype::Bool, Dtype::Int, Dtype::Long, Dtype::Float, Dtype::Double};

int rank(Dtype dtype) {
  const auto* const found = std::find(dtypes.begin(), dtypes.end(), dtype);
  TORCH_CHECK_TYPE(
      found != dtypes.end(),
      "tensor expressions are of type bool, int, int64, float or double, not ",
      c10::toString(dtype));
  return static_cast<int>(found - dtypes.begin());
}

ExprPtr make(Dtype dtype, decltype(Expr::node) node) {
  return std::make_shared<const Expr>(Expr{dtype, std::move(node)});
}

void promote(ExprHandle& left, ExprHandle& right) {
  const Dtype common = dtypes[std::max(rank(left.dtype()), rank(right.dtype()))];
  left = cast(left, common);
  right = cast(right, common);
}

} // namespace

ExprPtr map_children(const ExprPtr& expr, const ExprMap& f) {
  bool changed = false;
  const auto mapped = [&](const ExprPtr& child) {
    ExprPtr result = f(child);
    changed |= result != child;
    return result;
  };
  auto node = expr->node;
  std::visit(
      Overloaded{
          [](Immediate&) {}, [](Var&) {},
          [&](Binary& it) {
            it = {it.op, mapped(it.left), mapped(it.right)};
          },
          [&](Compare& it) {
            it = {it.op, mapped(it.left), mapped(it.right)};
          },
          [&](Cast& it) { it.value = mapped(it.value); },
          [&](Select& it) {
            it = {mapped(it.condition), mapped(it.yes), mapped(it.no)};
          },
          [&](Intrinsic& it) { it.value = mapped(it.value); },
          [&](Load& it) { std::ranges::transform(it.indices, it.indices.begin(), mapped); }},
      node);
  return changed ? make(expr->dtype, std::move(node)) : expr;
}

void for_each_child(const Expr& expr, const std::function<void(const ExprPtr&)>& f) {
  map_children(std::make_shared<const Expr>(expr), [&](const ExprPtr& child) {
    f(child);
    return child;
  });
}

StmtPtr make_block(const std::vector<StmtPtr>& stmts) {
  Block block;
  for (const auto& stmt : stmts) {
    if (stmt == nullptr) {
      continue;
    }
    if (const auto* const inner = std::get_if<Block>(&stmt->node)) {
      block.stmts.insert(block.stmts.end(), inner->stmts.begin(), inner->stmts.end());
    } else {
      block.stmts.push_back(stmt);
    }
  }
  return make_stmt(std::move(block));
}

StmtPtr map_stmts(const StmtPtr& stmt, const std::function<StmtPtr(const StmtPtr&)>& f) {
  return std::visit(
      Overloaded{
          [&](const Block& it) {
            std::vector<StmtPtr> stmts;
            std::ranges::transform(it.stmts, std::back_inserter(stmts), f);
            return make_block(stmts);
          },
          [&](For it) {
            it.body = make_block({f(it.body)});
            return make_stmt(std::move(it));
          },
          [&](Cond it) {
            it.body = make_block({f(it.body)});
            return make_stmt(std::move(it));
          },
          [&](const Store&) { return stmt; }, [&](const Allocate&) { return stmt; },
          [&](const Call&) { return stmt; }},
      stmt->node);
}

StmtPtr map_exprs(const StmtPtr& stmt, const ExprMap& f) {
  StmtPtr inner = map_stmts(stmt, [&](const StmtPtr& it) { return map_exprs(it, f); });
  if (const auto* const store = std::get_if<Store>(&inner->node)) {
    Store copy{store->buf, {}, nullptr};
    std::ranges::transform(store->indices, std::back_inserter(copy.indices), f);
    copy.value = f(store->value);
    return make_stmt(std::move(copy));
  }
  if (const auto* const cond = std::get_if<Cond>(&inner->node)) {
    return make_stmt(Cond{f(cond->condition), cond->body});
  }
  return inner;
}

ExprPtr substitute(const ExprPtr& expr, const Var& var, const ExprPtr& value) {
  if (const auto* const found = std::get_if<Var>(&expr->node); found && found->id == var.id) {
    return value;
  }
  return map_children(expr, [&](const ExprPtr& it) { return substitute(it, var, value); });
}

StmtPtr substitute(const StmtPtr& stmt, const Var& var, const ExprPtr& value) {
  return map_exprs(stmt, [&](const ExprPtr& it) { return substitute(it, var, value); });
}

ExprHandle make_immediate(Dtype dtype, std::variant<int64_t, double> value) {
  return ExprHandle(make(dtype, Immediate{value}));
}

ExprHandle::ExprHandle(bool value) : node_(make(Dtype::Bool, Immediate{int64_t{value}})) {}
ExprHandle::ExprHandle(int value) : node_(make(Dtype::Int, Immediate{int64_t{value}})) {}
ExprHandle::ExprHandle(int64_t value) : node_(make(Dtype::Long, Immediate{value})) {}
ExprHandle::ExprHandle(float value) : node_(make(Dtype::Float, Immediate{double{value}})) {}
ExprHandle::ExprHandle(double value) : node_(make(Dtype::Double, Immediate{value})) {}

VarHandle::VarHandle(const std::string& name)
    : ExprHandle(make(Dtype::Long, Var{name, next_id()})) {}

VarHandle::VarHandle(const Var& var) : ExprHandle(make(Dtype::Long, var)) {}

BufHandle::BufHandle(const std::string& name, const std::vector<int64_t>& sizes, Dtype dtype) {
  rank(dtype);
  for (const int64_t size : sizes) {
    TORCH_CHECK_VALUE(size >= 0, "buffer ", name, ": negative size ", size);
  }
  node_ = std::make_shared<const Buf>(Buf{name, dtype, sizes, next_id()});
}

ExprHandle BufHandle::load(const std::vector<ExprHandle>& indices) const {
  TORCH_CHECK_INDEX(
      indices.size() == node_->sizes.size(), "buffer ", node_->name, " has ", node_->sizes.size(),
      " dimensions, but ", indices.size(), " indices were given");
  Load load{node_, {}};
  for (const auto& index : indices) {
    TORCH_CHECK_TYPE(
        rank(index.dtype()) <= rank(Dtype::Long), "buffer ", node_->name,
        ": an index is an integer, not ", c10::toString(index.dtype()));
    load.indices.push_back(cast(index, Dtype::Long).node());
  }
  return ExprHandle(make(node_->dtype, std::move(load)));
}

ExprHandle binary(BinaryOp op, ExprHandle left, ExprHandle right) {
  promote(left, right);
  const bool logical = op == BinaryOp::And || op == BinaryOp::Or;
  TORCH_CHECK_TYPE(
      logical == (left.dtype() == Dtype::Bool),
      logical ? "&& and || take values of type bool, not "
              : "arithmetic takes numbers; cast to int first: ",
      c10::toString(left.dtype()));
  TORCH_CHECK_TYPE(
      op != BinaryOp::Mod || rank(left.dtype()) <= rank(Dtype::Long), "% takes integers, not ",
      c10::toString(left.dtype()));
  return ExprHandle(make(left.dtype(), Binary{op, left.node(), right.node()}));
}

ExprHandle compare(CompareOp op, ExprHandle left, ExprHandle right) {
  promote(left, right);
  return ExprHandle(make(Dtype::Bool, Compare{op, left.node(), right.node()}));
}

ExprHandle cast(const ExprHandle& value, Dtype dtype) {
  rank(dtype);
  if (value.dtype() == dtype) {
    return value;
  }
  const auto* const integer = std::get_if<Immediate>(&value.node()->node);
  if (integer && dtype == Dtype::Long && std::holds_alternative<int64_t>(integer->value)) {
    return ExprHandle(make(dtype, *integer));
  }
  return ExprHandle(make(dtype, Cast{value.node()}));
}

ExprHandle ifThenElse(const ExprHandle& condition, ExprHandle yes, ExprHandle no) {
  TORCH_CHECK_TYPE(
      condition.dtype() == Dtype::Bool, "a condition is of type bool, not ",
      c10::toString(condition.dtype()));
  promote(yes, no);
  return ExprHandle(make(yes.dtype(), Select{condition.node(), yes.node(), no.node()}));
}

ExprHandle intrinsic(IntrinsicOp op, const ExprHandle& value) {
  TORCH_CHECK_TYPE(
      rank(value.dtype()) >= rank(Dtype::Float),
      "mathematical functions take float or double, not ", c10::toString(value.dtype()));
  return ExprHandle(make(value.dtype(), Intrinsic{op, value.node()}));
}

} // namespace torch::jit::tensorexpr
