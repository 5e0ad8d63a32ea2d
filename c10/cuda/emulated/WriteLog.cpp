#include <c10/cuda/emulated/WriteLog.h>

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cuda_emulation {

// The saved pages and the table are mapped without being touched, so that they cost what is
// written.
WriteLog::WriteLog(const std::vector<DeviceMemory*>& memories) {
  for (const DeviceMemory* memory : memories) {
    capacity_ += memory->accessible_bytes() / kPage;
  }
  const size_t slots = std::bit_ceil(2 * capacity_ + 1);
  slot_mask_ = slots - 1;
  mapped_ = capacity_ * kPage + slots * sizeof(uint32_t);
  void* start = mmap(
      nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    std::perror("cuda_emulation: no memory for the check of a kernel's order");
    std::_Exit(2);
  }
  saved_ = static_cast<std::byte*>(start);
  slots_ = reinterpret_cast<uint32_t*>(saved_ + capacity_ * kPage);
  pages_.resize(capacity_);
}

WriteLog::~WriteLog() {
  munmap(saved_, mapped_);
}

void WriteLog::note(DeviceMemory& memory, const void* address) {
  const uintptr_t number = reinterpret_cast<uintptr_t>(address) / kPage;
  auto* start = reinterpret_cast<void*>(number * kPage); // NOLINT(performance-no-int-to-ptr)
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  size_t slot = (number * 0x9e3779b97f4a7c15u >> 20) & slot_mask_;
  while (slots_[slot] != 0 && pages_[slots_[slot] - 1].start != start) {
    slot = (slot + 1) & slot_mask_;
  }
  if (slots_[slot] == 0) {
    std::memcpy(saved(count_), memory.alias(start), kPage);
    pages_[count_] = {&memory, start};
    slots_[slot] = static_cast<uint32_t>(++count_);
    mprotect(start, kPage, PROT_READ | PROT_WRITE);
  } // else another thread was faster
  busy_.clear(std::memory_order_release);
}

void WriteLog::rewind() {
  first_run_ = count_;
  for (size_t i = 0; i < count_; ++i) {
    std::byte* now = pages_[i].memory->alias(pages_[i].start);
    std::swap_ranges(now, now + kPage, saved(i));
  }
}

// What `saved` holds is now the first run's result; for a page that only the second run wrote, it
// is the contents before, which the first run left alone.
std::string WriteLog::difference() const {
  for (size_t i = 0; i < count_; ++i) {
    const std::byte* now = pages_[i].memory->alias(pages_[i].start);
    const std::byte* other = saved(i);
    const auto [a, b] = std::mismatch(now, now + kPage, other);
    if (a == now + kPage) continue;
    const auto* at = static_cast<const std::byte*>(pages_[i].start) + (a - now);
    char values[64];
    std::snprintf(
        values, sizeof(values), ": 0x%02x in one order, 0x%02x in the opposite",
        static_cast<unsigned>(*b), static_cast<unsigned>(*a));
    return pages_[i].memory->describe(at) + values;
  }
  return {};
}

} // namespace cuda_emulation
