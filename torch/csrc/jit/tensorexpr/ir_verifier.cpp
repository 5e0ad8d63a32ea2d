#include <torch/csrc/jit/tensorexpr/ir_verifier.h>

#include <c10/util/Exception.h>

#include <set>

namespace torch::jit::tensorexpr {
namespace {

class Verifier {
 public:
  void check(const StmtPtr& stmt) {
    std::visit(
        Overloaded{
            [&](const Block& it) {
              for (const auto& inner : it.stmts) {
                check(inner);
              }
            },
            [&](const For& it) { check_loop(it); }, [&](const Store& it) { check_store(it); },
            [&](const Cond& it) {
              check(it.condition);
              check(it.body);
            },
            [](const Allocate&) {}, [](const Call& it) { check_call(it); }},
        stmt->node);
  }

 private:
  void check(const ExprPtr& expr) {
    if (const auto* const var = std::get_if<Var>(&expr->node)) {
      TORCH_CHECK_VALUE(
          bound_.contains(var->id), "the variable ", var->name, " is not that of a loop around it");
    }
    for_each_child(*expr, [&](const ExprPtr& child) { check(child); });
  }

  void check_loop(const For& it) {
    TORCH_CHECK_VALUE(used_.insert(it.var.id).second, "two loops have the variable ", it.var.name);
    bound_.insert(it.var.id);
    check(it.body);
    bound_.erase(it.var.id);
  }

  void check_store(const Store& it) {
    TORCH_CHECK_VALUE(
        it.indices.size() == it.buf->sizes.size() && it.value->dtype == it.buf->dtype,
        "a store to ", it.buf->name, " has ", it.indices.size(), " indices and the type ",
        c10::toString(it.value->dtype), "; the buffer has ", it.buf->sizes.size(),
        " dimensions and the type ", c10::toString(it.buf->dtype));
    for (const auto& index : it.indices) {
      check(index);
    }
    check(it.value);
  }

  static void check_call(const Call& it) {
    for (const auto& input : it.inputs) {
      TORCH_CHECK_VALUE(
          input->id != it.buf->id, "the call of ", it.function, " stores to its own input ",
          it.buf->name);
    }
  }

  std::set<int64_t> bound_, used_;
};

} // namespace

void verify(const StmtPtr& stmt) {
  Verifier().check(stmt);
}

} // namespace torch::jit::tensorexpr
