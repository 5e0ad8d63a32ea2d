#include <c10/core/Allocator.h>
#include <c10/core/impl/AllocatorRegistry.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstring>
#include <mutex>

namespace c10 {

Allocator::~Allocator() = default;

void Allocator::default_copy_data(void* destination, const void* source, size_t bytes) {
  std::memcpy(destination, source, bytes);
}

DataPtr Allocator::clone(const void* data, size_t bytes) {
  DataPtr copy = allocate(bytes);
  copy_data(copy.get(), data, bytes);
  return copy;
}

void* Allocator::raw_allocate(size_t bytes) {
  DataPtr data = allocate(bytes);
  TORCH_INTERNAL_ASSERT(data.get() == data.get_context());
  return data.release_context();
}

void Allocator::raw_deallocate(void* pointer) {
  const DeleterFnPtr deleter = raw_deleter();
  TORCH_INTERNAL_ASSERT(deleter != nullptr);
  deleter(pointer);
}

namespace impl {
std::atomic<Allocator*> cpu_allocator{nullptr};
}

namespace {
std::mutex registry_mutex;
std::atomic<Allocator*> allocators[COMPILE_TIME_MAX_DEVICE_TYPES] = {};
uint8_t priorities[COMPILE_TIME_MAX_DEVICE_TYPES] = {};
} // namespace

void SetAllocator(DeviceType type, Allocator* allocator, uint8_t priority) {
  const std::lock_guard<std::mutex> lock(registry_mutex);
  const auto i = static_cast<size_t>(type);
  if (priority >= priorities[i]) {
    allocators[i].store(allocator, std::memory_order_release);
    if (type == DeviceType::CPU) {
      impl::cpu_allocator.store(allocator, std::memory_order_release);
    }
    priorities[i] = priority;
  }
}

Allocator* GetAllocator(const DeviceType& type) {
  Allocator* allocator = allocators[static_cast<size_t>(type)].load(std::memory_order_acquire);
  TORCH_CHECK(allocator, "Allocator for ", type, " is not set.");
  return allocator;
}

} // namespace c10
