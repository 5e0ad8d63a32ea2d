#pragma once

// Small tables that the host computes for a kernel, in one block of device memory.

#include <c10/core/Allocator.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace at::native {

class DeviceTables {
 public:
  // Appends an array of 64-bit numbers; returns its position.
  template <typename T>
  size_t add(c10::ArrayRef<T> values) {
    static_assert(sizeof(T) == sizeof(uint64_t));
    const size_t at = words_.size();
    words_.resize(at + values.size());
    if (!values.empty()) {
      std::memcpy(words_.data() + at, values.data(), values.size() * sizeof(T));
    }
    return at;
  }
  template <typename T>
  size_t add(const std::vector<T>& values) {
    return add(c10::ArrayRef<T>(values));
  }

  // Queues the copy in the current stream. The host does not wait for it.
  c10::DataPtr upload() const;

  template <typename T>
  static const T* at(const c10::DataPtr& memory, size_t position) {
    return reinterpret_cast<const T*>(static_cast<const uint64_t*>(memory.get()) + position);
  }

 private:
  std::vector<uint64_t> words_;
};

} // namespace at::native
