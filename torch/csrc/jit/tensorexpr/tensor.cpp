#include <torch/csrc/jit/tensorexpr/tensor.h>

#include <c10/util/Exception.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace torch::jit::tensorexpr {
namespace {

std::vector<VarHandle> make_vars(const std::string& prefix, size_t count) {
  std::vector<VarHandle> vars;
  for (size_t d = 0; d < count; ++d) {
    vars.emplace_back(prefix + std::to_string(d));
  }
  return vars;
}

StmtPtr loops_over(
    const std::vector<VarHandle>& vars, const std::vector<int64_t>& sizes, StmtPtr body) {
  for (size_t d = vars.size(); d-- > 0;) {
    body = make_stmt(For{vars[d].var(), 0, sizes[d], make_block({body})});
  }
  return make_block({body});
}

StmtPtr store(const BufHandle& buf, const std::vector<VarHandle>& vars, const ExprHandle& value) {
  std::vector<ExprPtr> indices;
  std::ranges::transform(vars, std::back_inserter(indices), &VarHandle::node);
  return make_stmt(Store{buf.node(), std::move(indices), value.node()});
}

// The bound of the type; of floats, infinity. `sign` is -1 for the lower one.
ExprHandle extreme(Dtype dtype, int sign) {
  if (dtype == Dtype::Float || dtype == Dtype::Double) {
    return make_immediate(dtype, sign * std::numeric_limits<double>::infinity());
  }
  const auto of = [&]<class T>(T) -> int64_t {
    return sign < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  };
  return make_immediate(dtype, dtype == Dtype::Int ? of(int{}) : of(int64_t{}));
}

Reducer starting_at(BinaryOp op, int value) {
  return {op, [value](Dtype dtype) -> ExprHandle {
            if (dtype == Dtype::Float || dtype == Dtype::Double) {
              return make_immediate(dtype, double(value));
            }
            return make_immediate(dtype, int64_t{value});
          }};
}

} // namespace

Tensor Compute(const std::string& name, const std::vector<int64_t>& sizes, const Body& body) {
  const auto vars = make_vars("i", sizes.size());
  const ExprHandle value = body(vars);
  const BufHandle buf(name, sizes, value.dtype());
  return {buf, loops_over(vars, sizes, store(buf, vars, value))};
}

Reducer Reducer::Sum() {
  return starting_at(BinaryOp::Add, 0);
}
Reducer Reducer::Product() {
  return starting_at(BinaryOp::Mul, 1);
}
Reducer Reducer::Maximum() {
  return {BinaryOp::Max, [](Dtype dtype) { return extreme(dtype, -1); }};
}
Reducer Reducer::Minimum() {
  return {BinaryOp::Min, [](Dtype dtype) { return extreme(dtype, 1); }};
}

Tensor Reduce(
    const std::string& name, const std::vector<int64_t>& sizes, const Reducer& reducer,
    const Body& body, const std::vector<int64_t>& reduced_sizes) {
  const auto vars = make_vars("i", sizes.size()), reduced = make_vars("k", reduced_sizes.size());
  auto all = vars;
  all.insert(all.end(), reduced.begin(), reduced.end());
  const ExprHandle value = body(all);
  TORCH_CHECK_TYPE(value.dtype() != Dtype::Bool, "a reduction takes numbers; cast to int first");
  const BufHandle buf(name, sizes, value.dtype());
  const ExprHandle old = buf.load({vars.begin(), vars.end()});
  const StmtPtr update = store(buf, vars, binary(reducer.op, old, value));
  const StmtPtr start = store(buf, vars, reducer.initial(value.dtype()));
  return {
      buf,
      loops_over(vars, sizes, make_block({start, loops_over(reduced, reduced_sizes, update)}))};
}

} // namespace torch::jit::tensorexpr
