#include <torch/csrc/jit/tensorexpr/analysis.h>

#include <algorithm>
#include <cstdlib>

namespace torch::jit::tensorexpr {
namespace {

Linear scaled(Linear sum, int64_t factor) {
  sum.constant *= factor;
  for (auto& [id, term] : sum.terms) {
    term.second *= factor;
  }
  return sum;
}

Linear added(Linear left, const Linear& right) {
  left.constant += right.constant;
  for (const auto& [id, term] : right.terms) {
    left.terms.try_emplace(id, term.first, 0).first->second.second += term.second;
  }
  std::erase_if(left.terms, [](const auto& term) { return term.second.second == 0; });
  return left;
}

std::optional<Linear> linear_of_binary(const Binary& it) {
  const auto left = linear_of(it.left), right = linear_of(it.right);
  if (!left || !right) {
    return std::nullopt;
  }
  switch (it.op) {
    case BinaryOp::Add:
      return added(*left, *right);
    case BinaryOp::Sub:
      return added(*left, scaled(*right, -1));
    case BinaryOp::Mul:
      if (left->terms.empty()) {
        return added(scaled(*right, left->constant), {});
      }
      return right->terms.empty() ? std::optional(added(scaled(*left, right->constant), {}))
                                  : std::nullopt;
    default:
      return std::nullopt;
  }
}

void add_loads(const ExprPtr& expr, std::vector<Access>& result) {
  if (const auto* const load = std::get_if<Load>(&expr->node)) {
    result.push_back({load->buf, load->indices, false});
  }
  for_each_child(*expr, [&](const ExprPtr& child) { add_loads(child, result); });
}

// The statements of one kind in `stmt`, itself included, outer before inner.
template <class Node>
std::vector<Node> nodes_in(const StmtPtr& stmt) {
  std::vector<Node> result;
  const std::function<StmtPtr(const StmtPtr&)> visit = [&](const StmtPtr& it) {
    if (const auto* const node = std::get_if<Node>(&it->node)) {
      result.push_back(*node);
    }
    map_stmts(it, visit);
    return it;
  };
  visit(stmt);
  return result;
}

// One dimension of all accesses to a buffer tells the iterations of `loop` apart.
bool dimension_separates(
    const std::vector<Access>& all, size_t dimension, const Var& loop, const Ranges& varying) {
  std::optional<Linear> first;
  int64_t coefficient = 0, low = 0, high = 0;
  for (const auto& access : all) {
    if (access.indices.empty()) { // all elements
      return false;
    }
    auto sum = linear_of(access.indices[dimension]);
    if (!sum || !sum->terms.contains(loop.id)) {
      return false;
    }
    const int64_t factor = sum->terms.extract(loop.id).mapped().second;
    Linear inner{sum->constant, {}}, outer;
    for (const auto& [id, term] : sum->terms) {
      (varying.contains(id) ? inner : outer).terms.emplace(id, term);
    }
    const auto [least, greatest] = *bounds(inner, varying);
    if (!first) {
      first = outer;
      coefficient = factor;
      low = least;
      high = greatest;
    }
    const bool same = factor == coefficient && added(outer, scaled(*first, -1)).terms.empty();
    if (!same) {
      return false;
    }
    low = std::min(low, least);
    high = std::max(high, greatest);
  }
  return high - low < std::abs(coefficient);
}

} // namespace

std::optional<Linear> linear_of(const ExprPtr& expr) {
  if (expr->dtype != Dtype::Long) {
    return std::nullopt;
  }
  if (const auto* const it = std::get_if<Immediate>(&expr->node)) {
    return Linear{std::get<int64_t>(it->value), {}};
  }
  if (const auto* const it = std::get_if<Var>(&expr->node)) {
    return Linear{0, {{it->id, {expr, 1}}}};
  }
  const auto* const it = std::get_if<Binary>(&expr->node);
  return it != nullptr ? linear_of_binary(*it) : std::nullopt;
}

ExprPtr to_expr(const Linear& sum) {
  std::optional<ExprHandle> result;
  for (const auto& [id, term] : sum.terms) {
    const ExprHandle var(term.first);
    const ExprHandle product = term.second == 1 ? var : var * ExprHandle(term.second);
    result = result ? *result + product : product;
  }
  if (!result) {
    return ExprHandle(sum.constant).node();
  }
  return (sum.constant == 0 ? *result : *result + ExprHandle(sum.constant)).node();
}

std::optional<std::pair<int64_t, int64_t>> bounds(const Linear& sum, const Ranges& ranges) {
  int64_t low = sum.constant, high = sum.constant;
  for (const auto& [id, term] : sum.terms) {
    const auto found = ranges.find(id);
    if (found == ranges.end()) {
      return std::nullopt;
    }
    const int64_t first = term.second * found->second.first;
    const int64_t last = term.second * found->second.second;
    low += std::min(first, last);
    high += std::max(first, last);
  }
  return std::pair{low, high};
}

std::vector<Access> accesses(const StmtPtr& stmt) {
  std::vector<Access> result;
  for (const auto& store : stores_in(stmt)) {
    result.push_back({store.buf, store.indices, true});
  }
  for (const auto& call : calls_in(stmt)) {
    result.push_back({call.buf, {}, true});
    for (const auto& input : call.inputs) {
      result.push_back({input, {}, false});
    }
  }
  map_exprs(stmt, [&](const ExprPtr& it) {
    add_loads(it, result);
    return it;
  });
  return result;
}

std::vector<For> loops_in(const StmtPtr& stmt) {
  return nodes_in<For>(stmt);
}

std::vector<Store> stores_in(const StmtPtr& stmt) {
  return nodes_in<Store>(stmt);
}

std::vector<Call> calls_in(const StmtPtr& stmt) {
  return nodes_in<Call>(stmt);
}

bool iterations_are_independent(const StmtPtr& body, const Var& loop, const Ranges& varying) {
  std::map<int64_t, std::vector<Access>> by_buffer;
  for (auto& access : accesses(body)) {
    by_buffer[access.buf->id].push_back(access);
  }
  return std::ranges::all_of(by_buffer, [&](const auto& entry) {
    const auto& all = entry.second;
    if (std::ranges::none_of(all, &Access::stores)) {
      return true;
    }
    for (size_t d = 0; d < all.front().indices.size(); ++d) {
      if (dimension_separates(all, d, loop, varying)) {
        return true;
      }
    }
    return false;
  });
}

} // namespace torch::jit::tensorexpr
