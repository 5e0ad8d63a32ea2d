#pragma once

#include <c10/cuda/emulated/Memory.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_emulation {

// The pages that a kernel wrote, with what they held before.
class WriteLog {
 public:
  explicit WriteLog(const std::vector<DeviceMemory*>& memories);
  ~WriteLog();
  WriteLog(const WriteLog&) = delete;
  WriteLog& operator=(const WriteLog&) = delete;

  // Saves and opens the page. Called by the fault handler, on several threads.
  void note(DeviceMemory& memory, const void* address);
  // Puts the saved contents back and keeps those of the first run.
  void rewind();
  // Compares with the first run: empty, or the first byte that differs.
  std::string difference() const;

 private:
  struct Page {
    DeviceMemory* memory;
    void* start;
  };
  std::byte* saved(size_t index) const { return saved_ + index * kPage; }

  size_t capacity_ = 0; // in pages
  size_t mapped_ = 0;   // in bytes
  std::byte* saved_ = nullptr;
  uint32_t* slots_ = nullptr; // a hash table: index of the page plus one
  size_t slot_mask_ = 0;
  std::vector<Page> pages_;
  size_t count_ = 0;
  size_t first_run_ = 0;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

} // namespace cuda_emulation
