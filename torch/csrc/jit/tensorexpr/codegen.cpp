#include <torch/csrc/jit/tensorexpr/codegen.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/tensorexpr/analysis.h>
#include <torch/csrc/jit/tensorexpr/ir_verifier.h>

#include <functional>
#include <set>

namespace torch::jit::tensorexpr {
namespace {

void add_allocated(const StmtPtr& stmt, std::set<int64_t>& known) {
  if (const auto* const it = std::get_if<Allocate>(&stmt->node)) {
    known.insert(it->buf->id);
  }
  map_stmts(stmt, [&](const StmtPtr& it) {
    add_allocated(it, known);
    return it;
  });
}

bool overlap(const at::Tensor& a, const at::Tensor& b) {
  const auto* const first = static_cast<const char*>(a.data_ptr());
  const auto* const second = static_cast<const char*>(b.data_ptr());
  return std::less<>()(first, second + b.nbytes()) && std::less<>()(second, first + a.nbytes());
}

} // namespace

CodeGen::CodeGen(StmtPtr stmt, const std::vector<BufHandle>& args) : stmt_(std::move(stmt)) {
  verify(stmt_);
  std::set<int64_t> known, stored;
  for (const auto& arg : args) {
    args_.push_back(arg.node());
    TORCH_CHECK_VALUE(
        known.insert(arg.node()->id).second, "the buffer ", arg.node()->name, " is passed twice");
  }
  add_allocated(stmt_, known);
  for (const auto& access : accesses(stmt_)) {
    TORCH_CHECK_VALUE(
        known.contains(access.buf->id), "the buffer ", access.buf->name,
        " is neither an argument nor allocated: pass it, or call prepareForCodegen()");
    if (access.stores) {
      stored.insert(access.buf->id);
    }
  }
  for (const auto& arg : args_) {
    stored_.push_back(stored.contains(arg->id));
  }
}

void CodeGen::check(const std::vector<at::Tensor>& tensors) const {
  TORCH_CHECK_VALUE(
      tensors.size() == args_.size(), "expected ", args_.size(), " tensors, got ", tensors.size());
  for (size_t n = 0; n < args_.size(); ++n) {
    const auto& [name, dtype, sizes, id] = *args_[n];
    TORCH_CHECK_VALUE(
        tensors[n].defined() && tensors[n].device().is_cpu() && tensors[n].is_contiguous(), name,
        ": expected a contiguous tensor on the CPU");
    TORCH_CHECK_VALUE(
        !tensors[n].is_conj() && !tensors[n].is_neg(), name,
        ": expected a tensor without a pending conjugation or negation");
    TORCH_CHECK_TYPE(
        tensors[n].scalar_type() == dtype, name, ": expected a tensor of type ",
        c10::toString(dtype), ", got ", c10::toString(tensors[n].scalar_type()));
    TORCH_CHECK_VALUE(
        tensors[n].sizes() == c10::IntArrayRef(sizes), name, ": expected sizes ",
        c10::IntArrayRef(sizes), ", got ", tensors[n].sizes());
  }
  for (size_t a = 0; a < args_.size(); ++a) {
    for (size_t b = 0; stored_[a] && b < args_.size(); ++b) {
      TORCH_CHECK_VALUE(
          a == b || !overlap(tensors[a], tensors[b]), args_[a]->name, " and ", args_[b]->name,
          " share memory");
    }
  }
}

void CodeGen::call(const std::vector<at::Tensor>& tensors) const {
  check(tensors);
  std::vector<void*> data;
  data.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    data.push_back(tensor.data_ptr());
  }
  run(data);
}

} // namespace torch::jit::tensorexpr
