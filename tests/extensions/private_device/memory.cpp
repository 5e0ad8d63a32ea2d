#include "memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CopyBytes.h>
#include <c10/util/Exception.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace private_device {

namespace {

constexpr size_t kRange = size_t{1} << 30;
constexpr size_t kAlignment = 64;

size_t rounded(size_t bytes) {
  return (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

// First fit over the free parts of the range, which are merged with their neighbours.
class Arena {
 public:
  Arena() {
    const int file = memfd_create("private_device", MFD_CLOEXEC);
    TORCH_CHECK(file >= 0 && ftruncate(file, kRange) == 0, "no memory for the device");
    poisoned_ = map(file, PROT_NONE);
    open_ = map(file, PROT_READ | PROT_WRITE);
    close(file);
    free_[0] = kRange;
  }

  void* take(size_t bytes, c10::DeviceIndex device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t size = rounded(bytes);
    for (auto part = free_.begin(); part != free_.end(); ++part) {
      if (part->second < size) continue;
      const auto [start, length] = *part;
      free_.erase(part);
      if (length > size) free_[start + size] = length - size;
      used_[start] = {size, device};
      statistics_.blocks += 1;
      statistics_.bytes += static_cast<int64_t>(size);
      std::memset(open_ + start, 0xA5, size);
      return poisoned_ + start;
    }
    TORCH_CHECK(false, "private device out of memory: tried to allocate ", bytes, " bytes");
  }

  void give_back(void* pointer) {
    if (pointer == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto start = static_cast<size_t>(static_cast<char*>(pointer) - poisoned_);
    const auto block = used_.find(start);
    size_t size = block->second.size;
    used_.erase(block);
    statistics_.blocks -= 1;
    statistics_.bytes -= static_cast<int64_t>(size);
    std::memset(open_ + start, 0x5A, size);
    auto next = free_.lower_bound(start);
    if (next != free_.end() && start + size == next->first) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == start) {
        before->second += size;
        return;
      }
    }
    free_[start] = size;
  }

  bool contains(const void* pointer) const {
    const auto* at = static_cast<const char*>(pointer);
    return at >= poisoned_ && at < poisoned_ + kRange;
  }
  char* bytes_of(const void* pointer) const {
    TORCH_CHECK(contains(pointer), "not a pointer of the device");
    return open_ + (static_cast<const char*>(pointer) - poisoned_);
  }
  c10::DeviceIndex device_of(const void* pointer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = static_cast<size_t>(static_cast<const char*>(pointer) - poisoned_);
    const auto after = used_.upper_bound(at);
    TORCH_CHECK(contains(pointer) && after != used_.begin(), "not a pointer of the device");
    return std::prev(after)->second.device;
  }

  Statistics statistics() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return statistics_;
  }
  void count_copy() {
    const std::lock_guard<std::mutex> lock(mutex_);
    statistics_.copies += 1;
  }

 private:
  struct Block {
    size_t size;
    c10::DeviceIndex device;
  };

  static char* map(int file, int access) {
    void* start = mmap(nullptr, kRange, access, MAP_SHARED | MAP_NORESERVE, file, 0);
    TORCH_CHECK(start != MAP_FAILED, "no addresses for the device");
    return static_cast<char*>(start);
  }

  std::mutex mutex_;
  char* poisoned_;
  char* open_;
  std::map<size_t, size_t> free_;
  std::map<size_t, Block> used_;
  Statistics statistics_{};
};

// Never destroyed: tensors may outlive the library's statics.
Arena& arena() {
  static Arena* instance = new Arena;
  return *instance;
}

thread_local c10::DeviceIndex current = 0;

void copy(size_t bytes, const void* source, void* destination) {
  arena().count_copy();
  const void* from = is_device_pointer(source) ? bytes_of(source) : source;
  void* to = is_device_pointer(destination) ? bytes_of(destination) : destination;
  std::memmove(to, from, bytes);
}

void copy_bytes(size_t bytes, const void* source, c10::Device, void* destination, c10::Device) {
  copy(bytes, source, destination);
}

struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(c10::DeviceType::PrivateUse1, current_device());
    void* data = bytes ? take(bytes, device.index()) : nullptr;
    return {data, data, &give_back, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    copy(bytes, source, destination);
  }
};

Allocator allocator;

REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &allocator)
REGISTER_COPY_BYTES_FUNCTION(c10::kCPU, c10::kPrivateUse1, copy_bytes)
REGISTER_COPY_BYTES_FUNCTION(c10::kPrivateUse1, c10::kCPU, copy_bytes)
REGISTER_COPY_BYTES_FUNCTION(c10::kPrivateUse1, c10::kPrivateUse1, copy_bytes)

} // namespace

void* take(size_t bytes, c10::DeviceIndex device) {
  return arena().take(bytes, device);
}
void give_back(void* pointer) {
  arena().give_back(pointer);
}
char* bytes_of(const void* device_pointer) {
  return arena().bytes_of(device_pointer);
}
bool is_device_pointer(const void* pointer) {
  return arena().contains(pointer);
}
c10::DeviceIndex device_of(const void* device_pointer) {
  return arena().device_of(device_pointer);
}
Statistics statistics() {
  return arena().statistics();
}
void count_copy() {
  arena().count_copy();
}
c10::DeviceIndex current_device() {
  return current;
}
void set_current_device(c10::DeviceIndex device) {
  TORCH_CHECK(device >= 0 && device < kDevices, "invalid device index ", static_cast<int>(device));
  current = device;
}

} // namespace private_device
