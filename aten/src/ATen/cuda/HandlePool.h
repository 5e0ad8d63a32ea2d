#pragma once

// A pool of handles of one of NVIDIA's libraries. A handle may not be used by two threads at once,
// and creating one takes long and may allocate, so those of threads that ended are kept for later
// threads.

#include <c10/core/Device.h>

#include <map>
#include <mutex>
#include <vector>

namespace at::cuda {

// `create` returns a new handle for the current device.
template <typename Handle, Handle (*create)()>
class HandlePool {
 public:
  // The handle of the calling thread.
  static Handle mine(c10::DeviceIndex device) {
    static thread_local OfThread own;
    Handle& handle = own.handles[device];
    if (handle == nullptr) handle = get().take(device);
    return handle;
  }

 private:
  static HandlePool& get() {
    static HandlePool* const pool = new HandlePool; // a thread may end after the statics are gone
    return *pool;
  }
  Handle take(c10::DeviceIndex device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& free = free_[device];
    if (free.empty()) return create();
    const Handle handle = free.back();
    free.pop_back();
    return handle;
  }
  void give_back(c10::DeviceIndex device, Handle handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[device].push_back(handle);
  }

  struct OfThread {
    std::map<c10::DeviceIndex, Handle> handles;
    OfThread() = default;
    OfThread(const OfThread&) = delete;
    OfThread& operator=(const OfThread&) = delete;
    ~OfThread() {
      for (const auto& [device, handle] : handles) {
        if (handle != nullptr) get().give_back(device, handle);
      }
    }
  };

  std::mutex mutex_;
  std::map<c10::DeviceIndex, std::vector<Handle>> free_;
};

} // namespace at::cuda
