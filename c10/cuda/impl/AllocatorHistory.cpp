#include <c10/cuda/impl/AllocatorHistory.h>

#include <atomic>
#include <chrono>
#include <mutex>

namespace c10::cuda::CUDACachingAllocator {

namespace {

std::atomic<const HistoryOptions*> current_options{nullptr};
std::mutex metadata_mutex;

std::string& metadata() {
  static auto* text = new std::string; // memory may be freed after the library's statics
  return *text;
}

} // namespace

const HistoryOptions* history_options() {
  return current_options.load(std::memory_order_acquire);
}

void set_history_options(std::unique_ptr<HistoryOptions> options) {
  current_options = options.release(); // lives as long as the process
}

Context record_context(ContextLevel level) {
  const HistoryOptions* const options = history_options();
  if (options == nullptr || options->level < level || !options->recorder) return nullptr;
  return options->recorder();
}

void History::record(TraceEntry entry) {
  const HistoryOptions* const options = history_options();
  if (options == nullptr || options->max_entries == 0 ||
      options->skipped[static_cast<size_t>(entry.action)]) {
    return;
  }
  // Allocations keep their context in the block at the level of states.
  const bool alloc = entry.action == Action::ALLOC || entry.action == Action::SEGMENT_ALLOC ||
      entry.action == Action::SEGMENT_MAP || entry.action == Action::OOM;
  if (options->level < (alloc ? ContextLevel::ALLOC : ContextLevel::ALL)) entry.context = nullptr;
  using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::system_clock;
  entry.time_us = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  entry.metadata = getMetadata();
  while (entries_.size() >= options->max_entries) {
    entries_.pop_front();
  }
  entries_.push_back(std::move(entry));
}

void setMetadata(std::string text) {
  const std::lock_guard<std::mutex> lock(metadata_mutex);
  metadata() = std::move(text);
}
std::string getMetadata() {
  const std::lock_guard<std::mutex> lock(metadata_mutex);
  return metadata();
}

} // namespace c10::cuda::CUDACachingAllocator
