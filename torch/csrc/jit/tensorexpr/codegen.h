#pragma once

// Programs that run prepared statements on tensors.

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/tensorexpr/ir.h>

namespace torch::jit::tensorexpr {

class TORCH_API CodeGen {
 public:
  // `args` are the buffers that the caller provides, in the order of call's tensors. Each buffer
  // that the statements use is one of them, or allocated by the statements.
  CodeGen(StmtPtr stmt, const std::vector<BufHandle>& args);
  virtual ~CodeGen() = default;
  CodeGen(const CodeGen&) = delete;
  CodeGen& operator=(const CodeGen&) = delete;
  // Contiguous tensors on the CPU, of the buffers' types and sizes. A tensor that is stored to
  // shares no memory with another.
  void call(const std::vector<at::Tensor>& tensors) const;

 protected:
  const StmtPtr& stmt() const { return stmt_; }
  const std::vector<BufPtr>& args() const { return args_; }

 private:
  virtual void run(const std::vector<void*>& data) const = 0;
  void check(const std::vector<at::Tensor>& tensors) const;

  StmtPtr stmt_;
  std::vector<BufPtr> args_;
  std::vector<bool> stored_; // whether the loops write each argument
};

// Walks the tree, and checks each index. Slow: it is there to check other programs.
class TORCH_API SimpleIREvaluator final : public CodeGen {
 public:
  using CodeGen::CodeGen;

 private:
  void run(const std::vector<void*>& data) const override;
};

// Prints C++, compiles it with $CXX (c++, g++ or clang++ without it) for this processor, and loads
// it. A process compiles the same text once. Indices are not checked.
class TORCH_API CppCodeGen final : public CodeGen {
 public:
  CppCodeGen(StmtPtr stmt, const std::vector<BufHandle>& args);
  const std::string& source() const { return source_; }

 private:
  void run(const std::vector<void*>& data) const override;

  std::string source_;
  std::vector<void*> functions_; // external ones, which the kernel takes after the buffers
  bool (*kernel_)(void* const*) = nullptr; // whether no integer was divided by zero
};

} // namespace torch::jit::tensorexpr
