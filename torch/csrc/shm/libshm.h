#pragma once
// Named shared memory that outlives no process that holds it, however that process ends: a manager
// process knows who holds which name.
#include <ATen/MapAllocator.h>
#include <c10/core/Allocator.h>
#include <c10/macros/Export.h>

#include <cstddef>
#include <string>
#include <sys/types.h>

// Where the program torch_shm_manager lies. It is started when the first memory is made.
TORCH_API void libshm_init(const char* manager_exec_path);

// This process's hold on a name, which a manager knows of and ends if the process cannot.
class ManagedHold {
 public:
  // With an empty handle, at the manager that this process already uses, or a new one.
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
  // `manager_handle` is that of the allocator which created the object.
  static c10::DataPtr open(const std::string& manager_handle, std::string name, size_t bytes);
  // Null when the memory is of another kind.
  static THManagedMapAllocator* fromDataPtr(const c10::DataPtr& data);

  const std::string& manager_handle() const { return hold_.manager_handle(); }
  const std::string& filename() const { return memory_.filename(); }
  // For a reference that travels to another process.
  void incref() { memory_.incref(); }
  void decref() { memory_.decref(); }

 private:
  using Mode = at::RefcountedMapAllocator::Mode;
  THManagedMapAllocator(
      const std::string& manager_handle, std::string name, Mode mode, size_t bytes);
  static c10::DataPtr own(THManagedMapAllocator* allocator);

  // Held before it is counted, and let go before it is counted down: the manager takes back one
  // reference for each hold of a killed process, and may take one too few but never one too many.
  ManagedHold hold_;
  at::RefcountedMapAllocator memory_;
};
