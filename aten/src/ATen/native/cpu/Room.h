#pragma once

#include <c10/core/CPUAllocator.h>

#include <cstdint>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Uninitialized memory for `count` elements from the caching allocator.
template <typename T>
class Room {
 public:
  explicit Room(int64_t count)
      : data_(c10::GetCPUAllocator()->allocate(static_cast<size_t>(count) * sizeof(T))) {}
  T* get() const { return static_cast<T*>(data_.get()); }

 private:
  c10::DataPtr data_;
};

} // namespace CPU_CAPABILITY
} // namespace at::native
