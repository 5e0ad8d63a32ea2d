#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include <deque>

// What the caching allocator remembers of the past, if it is asked to (recordHistory).
namespace c10::cuda::CUDACachingAllocator {

// Null while nothing is recorded. What it points to lives as long as the process, since other
// threads may be reading it.
const HistoryOptions* history_options();
void set_history_options(std::unique_ptr<HistoryOptions> options);
// What the recorder says, if contexts of this level are wanted. The recorder may run Python, so
// nobody calls it with a lock held.
Context record_context(ContextLevel level);

// The trace of one device, behind the lock of its cache.
class History {
 public:
  void record(TraceEntry entry);
  void clear() { entries_.clear(); }
  std::vector<TraceEntry> entries() const { return {entries_.begin(), entries_.end()}; }

 private:
  std::deque<TraceEntry> entries_;
};

} // namespace c10::cuda::CUDACachingAllocator
