#include <torch/csrc/lazy/backend/backend_interface.h>

#include <c10/util/Exception.h>

#include <atomic>

namespace torch::lazy {

namespace {
std::atomic<const BackendInterface*> current{nullptr};
}

void set_backend(const BackendInterface* backend) {
  current = backend;
}

bool has_backend() {
  return current.load() != nullptr;
}

const BackendInterface& backend() {
  const BackendInterface* found = current;
  TORCH_CHECK(
      found, "Lazy tensors need a backend: call torch._lazy.ts_backend.init() before using them");
  return *found;
}

} // namespace torch::lazy
