#pragma once

// Loops that compute tensors, and transformations that keep what they compute.

#include <torch/csrc/jit/tensorexpr/tensor.h>

#include <optional>

namespace torch::jit::tensorexpr {

// A loop is named by its variable. An error leaves the nest as it was.
class TORCH_API LoopNest {
 public:
  // Computes `tensors` in order. Those that are not among the outputs become temporaries.
  LoopNest(const std::vector<Tensor>& outputs, const std::vector<Tensor>& tensors);
  explicit LoopNest(const std::vector<Tensor>& outputs) : LoopNest(outputs, outputs) {}

  const StmtPtr& root_stmt() const { return root_; }
  // The loops around the last statement that stores the tensor, outer before inner.
  std::vector<VarHandle> getLoopsFor(const Tensor& tensor) const;

  struct Split {
    VarHandle outer, inner;
    std::optional<VarHandle> tail;
  };
  // `factor` iterations at a time; a loop of its own does what is left.
  Split splitWithTail(const VarHandle& loop, int64_t factor);
  // `factor` iterations at a time; a condition skips those beyond the end.
  Split splitWithMask(const VarHandle& loop, int64_t factor);
  // Exchanges two loops that have nothing but loops between them. At most one of the loops may
  // carry values from one iteration to another.
  void reorderAxis(const VarHandle& first, const VarHandle& second);
  // Puts the tensor's expression where the tensor is read, and drops the tensor.
  void computeInline(const Tensor& tensor);
  // Replaces the loop by a copy of its body for each iteration, at most 1024.
  void unroll(const VarHandle& loop);
  // Iterations must be independent; a vectorized loop has no loops inside.
  void parallel(const VarHandle& loop) { set_mode(loop, LoopMode::Parallel); }
  void vectorize(const VarHandle& loop) { set_mode(loop, LoopMode::Vectorized); }
  // Simplifies the statements, and allocates the temporaries.
  void prepareForCodegen();

 private:
  void set_mode(const VarHandle& loop, LoopMode mode);

  StmtPtr root_;
  std::vector<BufPtr> outputs_, temporaries_;
};

} // namespace torch::jit::tensorexpr
