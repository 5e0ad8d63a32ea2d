#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/AllocatorRegistry.h>
#include <c10/core/impl/CPUBlocks.h>
#include <c10/util/Exception.h>

#include <cstdlib>

namespace c10 {

namespace {

void give_back(void* data) {
  impl::give_cpu_block(impl::CPUBlock::of(data));
}

struct DefaultCPUAllocator final : Allocator {
  DataPtr allocate(size_t bytes) override {
    if (bytes == 0) {
      return {nullptr, nullptr, &give_back, Device(DeviceType::CPU)};
    }
    void* data = impl::take_cpu_block(bytes)->data();
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
Allocator* const default_cpu_allocator_address = &default_allocator;
}

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
