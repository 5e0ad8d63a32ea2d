#pragma once

// Finds the generated functions of at::unboxing by signature: a light way to call operators with a
// stack, for programs whose operators are known when they are built.

#include <ATen/core/stack.h>
#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torch::jit {

// Pops the arguments of the schema off the stack, in order, and pushes the results.
using UnboxedKernel = void (*)(Stack& stack);

// A line of a generated table: "aten::add", "add.Tensor(Tensor self, ...) -> Tensor".
struct UnboxedRow {
  const char* name;
  const char* schema;
  UnboxedKernel kernel;
};

// Registers a block of functions when its library loads, and removes it when it unloads.
class TORCH_API UnboxedTable {
 public:
  template <size_t N>
  explicit UnboxedTable(const UnboxedRow (&rows)[N]) : UnboxedTable(rows, N) {}
  UnboxedTable(const UnboxedRow* rows, size_t count);
  ~UnboxedTable();
  C10_DISABLE_COPY_AND_ASSIGN(UnboxedTable);

 private:
  const UnboxedRow* rows_;
  size_t count_;
};

// Returns the function with the signature "aten::add.Tensor(Tensor self, ...) -> Tensor"; null if
// the build has none.
TORCH_API UnboxedKernel findUnboxedKernel(std::string_view signature);

// Returns the signatures of all functions, sorted.
TORCH_API std::vector<std::string> unboxedSignatures();

} // namespace torch::jit
