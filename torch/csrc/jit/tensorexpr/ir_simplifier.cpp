#include <torch/csrc/jit/tensorexpr/ir_simplifier.h>

#include <torch/csrc/jit/tensorexpr/analysis.h>

namespace torch::jit::tensorexpr {
namespace {

// What a comparison with `<` of sums is in every iteration; nothing if that varies.
std::optional<bool> decided(const ExprPtr& condition, const Ranges& ranges) {
  const auto* const it = std::get_if<Compare>(&condition->node);
  if (it == nullptr || it->op != CompareOp::LT || it->left->dtype != Dtype::Long) {
    return std::nullopt;
  }
  const auto difference = linear_of((ExprHandle(it->left) - ExprHandle(it->right)).node());
  const auto range = difference ? bounds(*difference, ranges) : std::nullopt;
  if (!range || (range->first < 0 && range->second >= 0)) {
    return std::nullopt;
  }
  return range->second < 0;
}

StmtPtr simplify_in(const StmtPtr& stmt, Ranges ranges);

StmtPtr simplify_loop(const For& loop, Ranges ranges) {
  if (loop.start >= loop.stop) {
    return nullptr;
  }
  if (loop.start + 1 == loop.stop) {
    const ExprPtr only = ExprHandle(loop.start).node();
    return simplify_in(substitute(loop.body, loop.var, only), std::move(ranges));
  }
  ranges[loop.var.id] = {loop.start, loop.stop - 1};
  For result = loop;
  result.body = simplify_in(loop.body, std::move(ranges));
  return make_stmt(std::move(result));
}

StmtPtr simplify_in(const StmtPtr& stmt, Ranges ranges) {
  if (const auto* const loop = std::get_if<For>(&stmt->node)) {
    return simplify_loop(*loop, std::move(ranges));
  }
  if (const auto* const cond = std::get_if<Cond>(&stmt->node)) {
    if (const auto holds = decided(cond->condition, ranges)) {
      return *holds ? simplify_in(cond->body, std::move(ranges)) : nullptr;
    }
  }
  return map_stmts(stmt, [&](const StmtPtr& it) { return simplify_in(it, ranges); });
}

} // namespace

ExprPtr simplify(const ExprPtr& expr) {
  if (const auto sum = linear_of(expr)) {
    return to_expr(*sum);
  }
  return map_children(expr, [](const ExprPtr& it) { return simplify(it); });
}

StmtPtr simplify(const StmtPtr& stmt) {
  return map_exprs(
      make_block({simplify_in(stmt, {})}), [](const ExprPtr& it) { return simplify(it); });
}

} // namespace torch::jit::tensorexpr
