// Entries of the CUDA runtime's API: memory and events that processes share.
//
// The memory of a device is a file in memory, so a handle says where another process finds that
// file, and opening it maps its bytes to addresses of the opener's device. An event for other
// processes is reached when it is recorded, because the process that waits for it cannot make the
// streams of the one that recorded it run.

#include <c10/cuda/emulated/Runtime.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>

using namespace cuda_emulation;

namespace {

constexpr uint32_t kMemoryMark = 0x4d454d31, kEventMark = 0x45565431;

struct MemoryHandle {
  uint32_t mark;
  int process, file, device;
  size_t place, bytes;
};

struct EventHandle {
  uint32_t mark;
  int process, device;
};

template <typename Handle, typename Content>
void pack(Handle* handle, const Content& content) {
  static_assert(sizeof(Content) <= sizeof(Handle));
  *handle = {};
  std::memcpy(handle->reserved, &content, sizeof(content));
}

template <typename Content, typename Handle>
Content unpack(const Handle& handle) {
  Content content;
  std::memcpy(&content, handle.reserved, sizeof(content));
  return content;
}

// Null if the process or its file is gone.
void* map_memory(Runtime& runtime, const MemoryHandle& from) {
  const std::string path =
      "/proc/" + std::to_string(from.process) + "/fd/" + std::to_string(from.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* pointer = runtime.memory(thread_state().device).map_foreign(file, from.place, from.bytes);
  ::close(file); // the mapping stays
  return pointer;
}

} // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return call([&](Runtime& runtime, Lock&) {
    const DeviceMemory* memory = runtime.memory_of(pointer);
    uintptr_t start = 0;
    const DeviceMemory::Block* block = memory ? memory->find(pointer, &start) : nullptr;
    if (block == nullptr || block->mapped || block->foreign) return cudaErrorInvalidValue;
    const size_t place = memory->place_of(reinterpret_cast<void*>(start)); // NOLINT
    pack(
        handle,
        MemoryHandle{
            kMemoryMark, ::getpid(), memory->file(), memory->device(), place, block->bytes});
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned int flags) {
  return call([&](Runtime& runtime, Lock&) {
    const auto from = unpack<MemoryHandle>(handle);
    if (from.mark != kMemoryMark || flags != cudaIpcMemLazyEnablePeerAccess ||
        from.process == ::getpid()) {
      return cudaErrorInvalidValue;
    }
    const std::string key(handle.reserved, sizeof(handle.reserved));
    const auto known = runtime.foreign().find(key);
    if (known != runtime.foreign().end()) {
      ++known->second.uses;
      *pointer = known->second.pointer;
      return cudaSuccess;
    }
    *pointer = map_memory(runtime, from);
    if (*pointer == nullptr) return cudaErrorInvalidResourceHandle;
    runtime.foreign()[key] = {*pointer, 1};
    return cudaSuccess;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return call([&](Runtime& runtime, Lock& lock) {
    auto& foreign = runtime.foreign();
    auto opened = foreign.begin();
    while (opened != foreign.end() && opened->second.pointer != pointer)
      ++opened;
    if (opened == foreign.end()) return cudaErrorInvalidValue;
    if (--opened->second.uses > 0) return cudaSuccess;
    DeviceMemory& memory = *runtime.memory_of(pointer);
    const cudaError_t error = runtime.scheduler().run_all(memory.device(), lock);
    foreign.erase(opened);
    memory.unmap_foreign(pointer);
    return error;
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return call([&](Runtime& runtime, Lock&) {
    if (runtime.events().count(event) == 0) return cudaErrorInvalidResourceHandle;
    if (!event->shared) return cudaErrorInvalidValue;
    pack(handle, EventHandle{kEventMark, ::getpid(), event->device});
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return call([&](Runtime& runtime, Lock&) {
    const auto from = unpack<EventHandle>(handle);
    if (from.mark != kEventMark || !runtime.valid_device(from.device)) return cudaErrorInvalidValue;
    if (::kill(from.process, 0) != 0) return cudaErrorInvalidResourceHandle;
    *event = *runtime.events().insert(new CUevent_st).first;
    (*event)->timed = false;
    (*event)->shared = true;
    (*event)->device = from.device;
    return cudaSuccess;
  });
}
