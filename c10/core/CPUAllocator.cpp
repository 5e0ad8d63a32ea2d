#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/AllocatorRegistry.h>
#include <c10/core/impl/CPUBlocks.h>
#include <c10/core/impl/MemoryReport.h>
#include <c10/util/Exception.h>

#include <cstdlib>

namespace c10 {

namespace {

void give_back(void* data) {
  impl::CPUBlock* const block = impl::CPUBlock::of(data);
  if (C10_UNLIKELY(block->reported != 0)) {
    if (const auto report = impl::memory_report.load(std::memory_order_relaxed)) {
      report(data, -static_cast<int64_t>(block->reported));
    }
  }
  impl::give_cpu_block(block);
}

struct DefaultCPUAllocator final : Allocator {
  DataPtr allocate(size_t bytes) override {
    if (bytes == 0) {
      return {nullptr, nullptr, &give_back, Device(DeviceType::CPU)};
    }
    impl::CPUBlock* const block = impl::take_cpu_block(bytes);
    void* const data = block->data();
    const auto report = impl::memory_report.load(std::memory_order_relaxed);
    block->reported = report ? bytes : 0;
    if (C10_UNLIKELY(report != nullptr)) {
      report(data, static_cast<int64_t>(bytes));
    }
    return {data, data, &give_back, Device(DeviceType::CPU)};
  }
  DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    default_copy_data(destination, source, bytes);
  }
};

DefaultCPUAllocator default_allocator;

// Registered with the lowest priority when the library loads.
const bool registered = [] {
  SetAllocator(DeviceType::CPU, &default_allocator);
  return true;
}();

} // namespace

namespace impl {
std::atomic<MemoryReport> memory_report{nullptr};
Allocator* const default_cpu_allocator_address = &default_allocator;
} // namespace impl

Allocator* GetDefaultCPUAllocator() {
  return &default_allocator;
}
Allocator* GetCPUAllocator() {
  return GetAllocator(DeviceType::CPU);
}
void SetCPUAllocator(Allocator* allocator, uint8_t priority) {
  SetAllocator(DeviceType::CPU, allocator, priority);
}

void* alloc_cpu(size_t bytes) {
  if (bytes == 0) {
    return nullptr;
  }
  void* data = std::aligned_alloc(gAlignment, (bytes + gAlignment - 1) / gAlignment * gAlignment);
  TORCH_CHECK(
      data, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes, " bytes.");
  return data;
}
void free_cpu(void* data) {
  std::free(data);
}

} // namespace c10
