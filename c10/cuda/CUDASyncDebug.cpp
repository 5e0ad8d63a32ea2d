#include <c10/cuda/CUDASyncDebug.h>

#include <c10/util/Exception.h>

#include <atomic>

namespace c10::cuda {
namespace {

std::atomic<SyncDebugMode> current_mode{SyncDebugMode::Default};

} // namespace

SyncDebugMode sync_debug_mode() {
  return current_mode.load(std::memory_order_relaxed);
}

void set_sync_debug_mode(SyncDebugMode mode) {
  current_mode.store(mode, std::memory_order_relaxed);
}

void report_sync() {
  const SyncDebugMode mode = sync_debug_mode();
  TORCH_CHECK(mode != SyncDebugMode::Error, "called a synchronizing CUDA operation");
  if (mode == SyncDebugMode::Warn) {
    TORCH_WARN("called a synchronizing CUDA operation");
  }
}

} // namespace c10::cuda
