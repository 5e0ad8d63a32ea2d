#include <torch/csrc/jit/tensorexpr/loopnest.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/tensorexpr/analysis.h>
#include <torch/csrc/jit/tensorexpr/ir_simplifier.h>

#include <algorithm>
#include <iterator>

namespace torch::jit::tensorexpr {
namespace {

constexpr int64_t most_copies = 1024;

For find_loop(const StmtPtr& root, const VarHandle& loop) {
  for (const auto& found : loops_in(root)) {
    if (found.var.id == loop.var().id) {
      return found;
    }
  }
  TORCH_CHECK_VALUE(false, "the nest has no loop over ", loop.var().name);
}

StmtPtr replace_loop(const StmtPtr& stmt, const Var& var, const StmtPtr& replacement) {
  const auto* const loop = std::get_if<For>(&stmt->node);
  if (loop != nullptr && loop->var.id == var.id) {
    return replacement;
  }
  return map_stmts(stmt, [&](const StmtPtr& it) { return replace_loop(it, var, replacement); });
}

// A copy whose loops have variables of their own.
StmtPtr copy_with_new_loops(const StmtPtr& stmt) {
  const auto* const loop = std::get_if<For>(&stmt->node);
  if (loop == nullptr) {
    return map_stmts(stmt, copy_with_new_loops);
  }
  const VarHandle var(loop->var.name);
  const StmtPtr body = copy_with_new_loops(substitute(loop->body, loop->var, var.node()));
  return make_stmt(For{var.var(), loop->start, loop->stop, body, loop->mode});
}

// The body with `value` as the loop's variable.
StmtPtr iteration(const For& loop, const ExprHandle& value) {
  return substitute(loop.body, loop.var, value.node());
}

Ranges ranges_of(const std::vector<For>& loops) {
  Ranges ranges;
  for (const auto& loop : loops) {
    ranges[loop.var.id] = {loop.start, std::max(loop.start, loop.stop - 1)};
  }
  return ranges;
}

For checked_split(const StmtPtr& root, const VarHandle& var, int64_t factor) {
  TORCH_CHECK_VALUE(factor > 0, "a loop is split by a positive factor, not ", factor);
  For loop = find_loop(root, var);
  TORCH_CHECK_VALUE(
      loop.mode == LoopMode::Serial, "split the loop over ", loop.var.name,
      " before it becomes parallel or vectorized");
  return loop;
}

bool path_to_store(const StmtPtr& stmt, int64_t buf, std::vector<VarHandle>& path) {
  const auto* const store = std::get_if<Store>(&stmt->node);
  const auto* const call = std::get_if<Call>(&stmt->node);
  if ((store && store->buf->id == buf) || (call && call->buf->id == buf)) {
    return true;
  }
  const auto* const loop = std::get_if<For>(&stmt->node);
  std::vector<VarHandle> found;
  bool any = false;
  map_stmts(stmt, [&](const StmtPtr& it) {
    std::vector<VarHandle> inner;
    if (path_to_store(it, buf, inner)) {
      found = std::move(inner);
      any = true;
    }
    return it;
  });
  if (any && loop != nullptr) {
    path.emplace_back(loop->var);
  }
  path.insert(path.end(), found.begin(), found.end());
  return any;
}

// The loops from the outer to the inner of the two, with nothing but loops between them.
std::vector<For> perfect_nest(
    const StmtPtr& root, const VarHandle& first, const VarHandle& second) {
  For outer = find_loop(root, first), inner = find_loop(root, second);
  const auto nested = loops_in(make_stmt(outer));
  if (std::ranges::none_of(nested, [&](const For& it) { return it.var.id == inner.var.id; })) {
    std::swap(outer, inner);
  }
  std::vector<For> chain{outer};
  while (chain.back().var.id != inner.var.id) {
    const auto& body = std::get<Block>(chain.back().body->node).stmts;
    const For* const next = body.size() == 1 ? std::get_if<For>(&body[0]->node) : nullptr;
    TORCH_CHECK_VALUE(
        next != nullptr, "the loops over ", first.var().name, " and ", second.var().name,
        " are not nested with only loops between them");
    chain.push_back(*next);
  }
  return chain;
}

void check_reorder(const std::vector<For>& chain) {
  size_t carrying = 0;
  for (const auto& loop : chain) {
    auto varying = ranges_of(loops_in(make_stmt(chain.front())));
    varying.erase(loop.var.id);
    carrying += iterations_are_independent(chain.back().body, loop.var, varying) ? 0 : 1;
    TORCH_CHECK_VALUE(
        loop.mode == LoopMode::Serial, "reorder the loop over ", loop.var.name,
        " before it becomes parallel or vectorized");
  }
  TORCH_CHECK_VALUE(
      carrying <= 1,
      "the loops cannot be reordered: more than one of them carries values from one "
      "iteration to another");
}

std::vector<Store> stores_to(const StmtPtr& root, const BufPtr& buf) {
  auto result = stores_in(root);
  std::erase_if(result, [&](const Store& it) { return it.buf->id != buf->id; });
  return result;
}

// Whether an external function computes or reads the buffer.
bool is_called_with(const StmtPtr& root, const BufPtr& buf) {
  return std::ranges::any_of(calls_in(root), [&](const Call& it) {
    return it.buf->id == buf->id || std::ranges::find(it.inputs, buf) != it.inputs.end();
  });
}

ExprPtr inlined(const ExprPtr& expr, const Store& definition) {
  ExprPtr inner = map_children(expr, [&](const ExprPtr& it) { return inlined(it, definition); });
  const auto* const load = std::get_if<Load>(&inner->node);
  if (load == nullptr || load->buf->id != definition.buf->id) {
    return inner;
  }
  // Through new variables, because the indices of the load may name those of the definition.
  ExprPtr value = definition.value;
  std::vector<VarHandle> parameters;
  for (const auto& index : definition.indices) {
    parameters.emplace_back("parameter");
    value = substitute(value, std::get<Var>(index->node), parameters.back().node());
  }
  for (size_t d = 0; d < parameters.size(); ++d) {
    value = substitute(value, parameters[d].var(), load->indices[d]);
  }
  return value;
}

// Without the stores to `buf`, and without the loops that this leaves empty.
StmtPtr without_stores(const StmtPtr& stmt, const BufPtr& buf) {
  const auto* const store = std::get_if<Store>(&stmt->node);
  if (store != nullptr && store->buf->id == buf->id) {
    return nullptr;
  }
  const StmtPtr result =
      map_stmts(stmt, [&](const StmtPtr& it) { return without_stores(it, buf); });
  const auto* const loop = std::get_if<For>(&result->node);
  return loop != nullptr && std::get<Block>(loop->body->node).stmts.empty() ? nullptr : result;
}

} // namespace

LoopNest::LoopNest(const std::vector<Tensor>& outputs, const std::vector<Tensor>& tensors) {
  std::vector<StmtPtr> stmts;
  for (const auto& output : outputs) {
    const bool computed = std::ranges::any_of(
        tensors, [&](const Tensor& it) { return it.buf.node() == output.buf.node(); });
    TORCH_CHECK_VALUE(
        computed, "the output ", output.buf.node()->name, " is not among the tensors to compute");
    outputs_.push_back(output.buf.node());
  }
  for (const auto& tensor : tensors) {
    stmts.push_back(tensor.stmt);
    const bool is_output = std::ranges::any_of(
        outputs_, [&](const BufPtr& it) { return it->id == tensor.buf.node()->id; });
    if (!is_output) {
      temporaries_.push_back(tensor.buf.node());
    }
  }
  root_ = make_block(stmts);
}

std::vector<VarHandle> LoopNest::getLoopsFor(const Tensor& tensor) const {
  std::vector<VarHandle> path;
  TORCH_CHECK_VALUE(
      path_to_store(root_, tensor.buf.node()->id, path), "the nest does not compute ",
      tensor.buf.node()->name);
  return path;
}

LoopNest::Split LoopNest::splitWithTail(const VarHandle& var, int64_t factor) {
  const For loop = checked_split(root_, var, factor);
  const VarHandle outer(loop.var.name + "_outer"), inner(loop.var.name + "_inner");
  const int64_t extent = std::max<int64_t>(loop.stop - loop.start, 0), whole = extent / factor;
  const ExprHandle index = outer * ExprHandle(factor) + inner + ExprHandle(loop.start);
  const StmtPtr body = make_stmt(For{inner.var(), 0, factor, make_block({iteration(loop, index)})});
  std::vector<StmtPtr> parts{make_stmt(For{outer.var(), 0, whole, make_block({body})})};
  Split result{outer, inner, std::nullopt};
  if (extent % factor != 0) {
    result.tail.emplace(loop.var.name + "_tail");
    const ExprHandle rest = *result.tail + ExprHandle(loop.start + whole * factor);
    const StmtPtr copy = copy_with_new_loops(iteration(loop, rest));
    parts.push_back(make_stmt(For{result.tail->var(), 0, extent % factor, make_block({copy})}));
  }
  root_ = replace_loop(root_, loop.var, make_block(parts));
  return result;
}

LoopNest::Split LoopNest::splitWithMask(const VarHandle& var, int64_t factor) {
  const For loop = checked_split(root_, var, factor);
  const VarHandle outer(loop.var.name + "_outer"), inner(loop.var.name + "_inner");
  const int64_t extent = std::max<int64_t>(loop.stop - loop.start, 0);
  const ExprHandle index = outer * ExprHandle(factor) + inner + ExprHandle(loop.start);
  StmtPtr body = iteration(loop, index);
  if (extent % factor != 0) {
    body = make_stmt(Cond{(index < ExprHandle(loop.stop)).node(), make_block({body})});
  }
  body = make_stmt(For{inner.var(), 0, factor, make_block({body})});
  const int64_t blocks = extent / factor + (extent % factor != 0 ? 1 : 0);
  root_ = replace_loop(root_, loop.var, make_stmt(For{outer.var(), 0, blocks, make_block({body})}));
  return {outer, inner, std::nullopt};
}

void LoopNest::reorderAxis(const VarHandle& first, const VarHandle& second) {
  auto chain = perfect_nest(root_, first, second);
  check_reorder(chain);
  const Var outermost = chain.front().var;
  StmtPtr body = chain.back().body;
  std::swap(chain.front(), chain.back());
  for (size_t depth = chain.size(); depth-- > 0;) {
    chain[depth].body = make_block({body});
    body = make_stmt(chain[depth]);
  }
  root_ = replace_loop(root_, outermost, body);
}

void LoopNest::computeInline(const Tensor& tensor) {
  const BufPtr& buf = tensor.buf.node();
  TORCH_CHECK_VALUE(
      std::ranges::any_of(temporaries_, [&](const BufPtr& it) { return it->id == buf->id; }),
      buf->name, " cannot be inlined: it is not a temporary of the nest");
  TORCH_CHECK_VALUE(
      !is_called_with(root_, buf), buf->name,
      " cannot be inlined: an external function computes or reads it");
  const auto stores = stores_to(root_, buf);
  TORCH_CHECK_VALUE(
      stores.size() == 1, buf->name, " cannot be inlined: it is a reduction or split");
  const bool plain = std::ranges::all_of(
      stores[0].indices, [](const ExprPtr& it) { return std::holds_alternative<Var>(it->node); });
  TORCH_CHECK_VALUE(plain, buf->name, " cannot be inlined: inline it before its loops are split");
  root_ = map_exprs(
      without_stores(root_, buf), [&](const ExprPtr& it) { return inlined(it, stores[0]); });
  std::erase_if(temporaries_, [&](const BufPtr& it) { return it->id == buf->id; });
}

void LoopNest::unroll(const VarHandle& var) {
  const For loop = find_loop(root_, var);
  TORCH_CHECK_VALUE(
      loop.stop - loop.start <= most_copies, "the loop over ", loop.var.name, " has ",
      loop.stop - loop.start, " iterations; at most ", most_copies, " are unrolled");
  std::vector<StmtPtr> copies;
  for (int64_t i = loop.start; i < loop.stop; ++i) {
    copies.push_back(copy_with_new_loops(iteration(loop, ExprHandle(i))));
  }
  root_ = replace_loop(root_, loop.var, make_block(copies));
}

void LoopNest::set_mode(const VarHandle& var, LoopMode mode) {
  For loop = find_loop(root_, var);
  const auto inner = loops_in(loop.body);
  TORCH_CHECK_VALUE(
      mode == LoopMode::Parallel || inner.empty(), "the loop over ", loop.var.name,
      " cannot be vectorized: it has loops inside");
  TORCH_CHECK_VALUE(
      iterations_are_independent(loop.body, loop.var, ranges_of(inner)), "the iterations over ",
      loop.var.name, " are not independent");
  loop.mode = mode;
  root_ = replace_loop(root_, loop.var, make_stmt(loop));
}

void LoopNest::prepareForCodegen() {
  std::vector<StmtPtr> stmts;
  std::ranges::transform(temporaries_, std::back_inserter(stmts), [](const BufPtr& buf) {
    return make_stmt(Allocate{buf});
  });
  temporaries_.clear();
  stmts.push_back(simplify(root_));
  root_ = make_block(stmts);
}

} // namespace torch::jit::tensorexpr
