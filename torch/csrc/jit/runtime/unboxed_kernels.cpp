#include <torch/csrc/jit/runtime/unboxed_kernels.h>

#include <functional>
#include <map>
#include <mutex>

namespace torch::jit {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, UnboxedKernel, std::less<>> kernels;
};

// Never destroyed, because libraries may unload while the process ends.
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

// "aten::" from "aten::add", followed by the schema.
std::string signature(const UnboxedRow& row) {
  const std::string_view name(row.name);
  return std::string(name.substr(0, name.rfind(':') + 1)) + row.schema;
}

} // namespace

UnboxedTable::UnboxedTable(const UnboxedRow* rows, size_t count) : rows_(rows), count_(count) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (size_t i = 0; i < count; ++i) {
    all.kernels[signature(rows[i])] = rows[i].kernel;
  }
}

UnboxedTable::~UnboxedTable() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (size_t i = 0; i < count_; ++i) {
    const auto found = all.kernels.find(signature(rows_[i]));
    if (found != all.kernels.end() && found->second == rows_[i].kernel) {
      all.kernels.erase(found); // unless another library replaced it
    }
  }
}

UnboxedKernel findUnboxedKernel(std::string_view signature) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(signature);
  return found == all.kernels.end() ? nullptr : found->second;
}

std::vector<std::string> unboxedSignatures() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> signatures;
  for (const auto& [signature, kernel] : all.kernels) {
    signatures.push_back(signature);
  }
  return signatures;
}

} // namespace torch::jit
