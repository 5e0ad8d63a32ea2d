#include <torch/csrc/jit/runtime/static/kernels.h>

#include <map>

namespace torch::jit::static_runtime {

namespace {

// Filled while the library loads, by one thread, and only read afterwards.
std::map<std::string_view, Kernel>& registry() {
  static std::map<std::string_view, Kernel> kernels;
  return kernels;
}

} // namespace

KernelTable::KernelTable(std::span<const KernelRow> rows) {
  for (const KernelRow& row : rows) {
    registry().emplace(row.name, row.kernel);
  }
}

Kernel find_kernel(std::string_view name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : found->second;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : registry()) {
    names.emplace_back(name);
  }
  return names;
}

} // namespace torch::jit::static_runtime
