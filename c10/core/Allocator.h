#pragma once

#include <c10/core/Device.h>
#include <c10/util/UniqueVoidPtr.h>

#include <cstddef>

namespace c10 {

// Owned memory on a device: a pointer, the context that frees it, and the device.
class DataPtr {
 public:
  DataPtr() : device_(DeviceType::CPU) {}
  DataPtr(void* data, Device device) : ptr_(data), device_(device) {}
  DataPtr(void* data, void* context, DeleterFnPtr deleter, Device device)
      : ptr_(data, context, deleter), device_(device) {}

  void* get() const { return ptr_.get(); }
  const void* mutable_get() const { return ptr_.get(); }
  void* mutable_get() { return ptr_.get(); }
  void* operator->() const { return ptr_.get(); }
  void clear() { ptr_.clear(); }
  void* get_context() const { return ptr_.get_context(); }
  void* release_context() { return ptr_.release_context(); }
  explicit operator bool() const { return static_cast<bool>(ptr_); }
  DeleterFnPtr get_deleter() const { return ptr_.get_deleter(); }
  template <typename T>
  T* cast_context(DeleterFnPtr expected) const {
    return get_deleter() == expected ? static_cast<T*>(get_context()) : nullptr;
  }
  bool compare_exchange_deleter(DeleterFnPtr expected, DeleterFnPtr replacement) {
    return ptr_.compare_exchange_deleter(expected, replacement);
  }
  void unsafe_set_device(Device device) { device_ = device; }
  Device device() const { return device_; }

 private:
  detail::UniqueVoidPtr ptr_;
  Device device_;
};

inline bool operator==(const DataPtr& ptr, std::nullptr_t) noexcept {
  return !ptr;
}

struct C10_API Allocator {
  virtual ~Allocator();
  virtual DataPtr allocate(size_t bytes) = 0;
  // Copies `bytes` bytes within the allocator's device.
  virtual void copy_data(void* destination, const void* source, size_t bytes) const = 0;
  DataPtr clone(const void* data, size_t bytes);
  virtual bool is_simple_data_ptr(const DataPtr& ptr) const {
    return ptr.get() == ptr.get_context();
  }
  // Returns the deleter when freeing needs nothing but the pointer, else null.
  virtual DeleterFnPtr raw_deleter() const { return nullptr; }
  void* raw_allocate(size_t bytes);
  void raw_deallocate(void* pointer);

 protected:
  // copy_data() for memory that the host can reach.
  static void default_copy_data(void* destination, const void* source, size_t bytes);
};

// Sets and looks up the allocator of a device type. A higher priority replaces a lower one.
C10_API void SetAllocator(DeviceType type, Allocator* allocator, uint8_t priority = 0);
C10_API Allocator* GetAllocator(const DeviceType& type);

template <DeviceType type>
struct AllocatorRegisterer {
  explicit AllocatorRegisterer(Allocator* allocator) { SetAllocator(type, allocator); }
};
#define REGISTER_ALLOCATOR(type, allocator) \
  static const ::c10::AllocatorRegisterer<type> C10_ANONYMOUS_VARIABLE(g_allocator)(allocator);

} // namespace c10
