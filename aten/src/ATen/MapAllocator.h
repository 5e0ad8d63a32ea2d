#pragma once
// Memory that other processes can map: by a file descriptor, or by a name in /dev/shm.
#include <ATen/SharedObjectHeader.h>
#include <c10/core/Allocator.h>
#include <c10/macros/Export.h>

#include <cstddef>
#include <string>

namespace at {

// A mapping of a file descriptor that it owns. The memory has no name, so it is freed with the last
// descriptor and mapping, however the processes end.
class TORCH_API MapAllocator {
 public:
  MapAllocator(const MapAllocator&) = delete;
  MapAllocator& operator=(const MapAllocator&) = delete;
  ~MapAllocator();

  static c10::DataPtr create(size_t bytes);
  // Takes ownership of the descriptor, even on failure.
  static c10::DataPtr open(int fd, size_t bytes);
  // Returns null for memory of another kind.
  static const MapAllocator* fromDataPtr(const c10::DataPtr& data);

  int fd() const { return fd_; }
  size_t size() const { return bytes_; }
  void* data() const { return base_; }

 private:
  MapAllocator(int fd, size_t bytes);

  int fd_;
  size_t bytes_;
  void* base_ = nullptr;
};

// A mapping of a named object whose header counts the references; dropping the last one removes the
// name. A killed process leaves the name behind; torch/csrc/shm cleans it up.
class TORCH_API RefcountedMapAllocator {
 public:
  enum class Mode { Create, Open };
  RefcountedMapAllocator(std::string name, Mode mode, size_t bytes);
  RefcountedMapAllocator(const RefcountedMapAllocator&) = delete;
  RefcountedMapAllocator& operator=(const RefcountedMapAllocator&) = delete;
  ~RefcountedMapAllocator();

  const std::string& filename() const { return name_; }
  void* data() const { return header() + 1; }
  void incref();
  void decref();

 private:
  SharedObjectHeader* header() const { return static_cast<SharedObjectHeader*>(base_); }

  std::string name_;
  size_t mapped_bytes_;
  int counted_in_; // the process that the reference belongs to
  void* base_ = nullptr;
};

// Returns a name for a shared memory object that is unique across calls and processes.
TORCH_API std::string NewProcessWideShmHandle();

} // namespace at
