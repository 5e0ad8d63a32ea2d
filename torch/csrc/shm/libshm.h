#pragma once
// Named shared memory that is freed when no process holds it any more, however the processes end: a
// manager process tracks which process holds which name.
#include <ATen/MapAllocator.h>
#include <c10/core/Allocator.h>
#include <c10/macros/Export.h>

#include <cstddef>
#include <string>
#include <sys/types.h>

// The location of the program torch_shm_manager. It is started when the first memory is created.
TORCH_API void libshm_init(const char* manager_exec_path);

// This process's hold on a name. A manager knows about it and ends it if the process cannot.
class ManagedHold {
 public:
  // An empty handle means the manager that this process already uses, or a new one.
  ManagedHold(const std::string& manager_handle, std::string name);
  ManagedHold(const ManagedHold&) = delete;
  ManagedHold& operator=(const ManagedHold&) = delete;
  ~ManagedHold() { release(); }

  void release() noexcept;
  const std::string& manager_handle() const { return manager_; }

 private:
  std::string name_;
  std::string manager_;
  pid_t held_in_;
};

class TORCH_API THManagedMapAllocator {
 public:
  THManagedMapAllocator(const THManagedMapAllocator&) = delete;
  THManagedMapAllocator& operator=(const THManagedMapAllocator&) = delete;
  ~THManagedMapAllocator();

  static c10::DataPtr create(std::string name, size_t bytes);
  // `manager_handle` is the handle of the allocator that created the object.
  static c10::DataPtr open(const std::string& manager_handle, std::string name, size_t bytes);
  // Returns null for memory of another kind.
  static THManagedMapAllocator* fromDataPtr(const c10::DataPtr& data);

  const std::string& manager_handle() const { return hold_.manager_handle(); }
  const std::string& filename() const { return memory_.filename(); }
  // Counts a reference that is in transit to another process.
  void incref() { memory_.incref(); }
  void decref() { memory_.decref(); }

 private:
  using Mode = at::RefcountedMapAllocator::Mode;
  THManagedMapAllocator(
      const std::string& manager_handle, std::string name, Mode mode, size_t bytes);
  static c10::DataPtr own(THManagedMapAllocator* allocator);

  // The hold is taken before the reference is counted and released before it is uncounted. For each
  // hold of a killed process the manager removes one reference, so it may remove one too few but
  // never one too many.
  ManagedHold hold_;
  at::RefcountedMapAllocator memory_;
};
