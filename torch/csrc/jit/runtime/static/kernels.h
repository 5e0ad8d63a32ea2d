#pragma once

// Generated functions that compute one operator into a given tensor, without the dispatcher.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torch::jit::static_runtime {

// Writes the result into `out`. The arguments are those of the operator's schema, in order. Tensors
// are dense and on the CPU, and hold their values as they are: none is a lazy conjugate or
// negative.
using Kernel = void (*)(const c10::IValue* arguments, at::Tensor& out);

// A line of a generated table.
struct KernelRow {
  const char* name; // of the operator that makes a new tensor: "aten::add.Tensor"
  Kernel kernel;
};

// The rows of one file of this library; they stay as long as it does.
class KernelTable {
 public:
  template <size_t N>
  explicit KernelTable(const KernelRow (&rows)[N]) : KernelTable(std::span(rows)) {}
  explicit KernelTable(std::span<const KernelRow> rows);
  C10_DISABLE_COPY_AND_ASSIGN(KernelTable);
};

// Returns the operator's kernel; null if it has none.
TORCH_API Kernel find_kernel(std::string_view name);

// Returns the names of the operators that have kernels, sorted.
TORCH_API std::vector<std::string> kernel_names();

} // namespace torch::jit::static_runtime
