#pragma once

// What transformations need to know: indices as sums of loop variables, and whether a loop's
// iterations touch the same elements.

#include <torch/csrc/jit/tensorexpr/ir.h>

#include <map>
#include <optional>
#include <utility>

namespace torch::jit::tensorexpr {

// constant + sum of coefficient * variable
struct Linear {
  int64_t constant = 0;
  std::map<int64_t, std::pair<ExprPtr, int64_t>> terms; // by the variable's number
};
// The sum that `expr` is; nothing if it is not one.
std::optional<Linear> linear_of(const ExprPtr& expr);
ExprPtr to_expr(const Linear& sum);

// The first and the last value of each loop variable, by its number.
using Ranges = std::map<int64_t, std::pair<int64_t, int64_t>>;
// The least and the greatest value of `sum`; nothing if a variable has no range.
std::optional<std::pair<int64_t, int64_t>> bounds(const Linear& sum, const Ranges& ranges);

struct Access {
  BufPtr buf;
  std::vector<ExprPtr> indices; // none for all elements
  bool stores;
};
std::vector<Access> accesses(const StmtPtr& stmt);
// The loops in `stmt`, itself included, outer before inner.
std::vector<For> loops_in(const StmtPtr& stmt);
std::vector<Store> stores_in(const StmtPtr& stmt);
std::vector<Call> calls_in(const StmtPtr& stmt);

// Whether two accesses to the same element of a stored buffer always have the same value of
// `loop`'s variable, whatever values the variables of `varying` take. Exact answers need indices
// that are sums; for others the answer is no.
bool iterations_are_independent(const StmtPtr& body, const Var& loop, const Ranges& varying);

} // namespace torch::jit::tensorexpr
