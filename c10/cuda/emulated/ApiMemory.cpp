// Entries of the CUDA runtime's API: memory, copies, and kernels.

#include <c10/cuda/emulated/Runtime.h>

#include <cstring>
#include <vector>

using namespace cuda_emulation;

namespace {

bool on_host(Runtime& runtime, const void* pointer) {
  return runtime.memory_of(pointer) == nullptr;
}

bool direction_fits(Runtime& runtime, const void* to, const void* from, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return on_host(runtime, to) && on_host(runtime, from);
    case cudaMemcpyHostToDevice:
      return !on_host(runtime, to) && on_host(runtime, from);
    case cudaMemcpyDeviceToHost:
      return on_host(runtime, to) && !on_host(runtime, from);
    case cudaMemcpyDeviceToDevice:
      return !on_host(runtime, to) && !on_host(runtime, from);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

// As hardware does it: a copy from pageable memory has read its source when the call returns, and
// one to pageable memory is done then. With pinned memory, both happen when the stream gets there.
cudaError_t copy_async(
    Runtime& runtime, Lock& lock, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
    cudaStream_t stream) {
  const auto queue = runtime.queue(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  if (!direction_fits(runtime, to, from, kind)) return cudaErrorInvalidMemcpyDirection;
  const int device = queue->device;
  const bool pageable_source = on_host(runtime, from) && !runtime.pinned().contains(from);
  const bool pageable_target = on_host(runtime, to) && !runtime.pinned().contains(to);
  Operation operation;
  if (pageable_source && queue->capture == nullptr) {
    const auto* start = static_cast<const std::byte*>(from);
    std::vector<std::byte> staged(start, start + bytes);
    operation.run = [=, &runtime, staged = std::move(staged)] {
      return runtime.copy(to, staged.data(), staged.size(), kind, device);
    };
  } else {
    operation.run = [=, &runtime] { return runtime.copy(to, from, bytes, kind, device); };
  }
  const cudaError_t error = runtime.issue(queue, std::move(operation));
  if (error != cudaSuccess || !pageable_target || queue->capture != nullptr) return error;
  return runtime.scheduler().run_until(runtime.scheduler().end_of(queue), lock);
}

cudaError_t synchronize(Runtime& runtime, Lock& lock) {
  const auto queue = runtime.queue(nullptr);
  return runtime.scheduler().run_until(runtime.scheduler().end_of(queue), lock);
}

// Whether the bytes hold a pointer to pinned memory, whose writes cannot be taken back.
bool mentions_pinned(Runtime& runtime, const void* arguments, size_t bytes) {
  const auto* data = static_cast<const char*>(arguments);
  for (size_t i = 0; i + sizeof(void*) <= bytes; i += sizeof(void*)) {
    const void* word = nullptr;
    std::memcpy(static_cast<void*>(&word), data + i, sizeof(word));
    if (runtime.pinned().contains(word)) return true;
  }
  return false;
}

bool shape_fits(const LaunchShape& shape) {
  const auto& [grid, block, shared] = shape;
  const size_t threads = size_t{block.x} * block.y * block.z;
  return grid.x != 0 && grid.y != 0 && grid.z != 0 && threads != 0 && threads <= 1024 &&
      block.z <= 64 && grid.x <= 2147483647 && grid.y <= 65535 && grid.z <= 65535;
}

} // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call([&](Runtime& runtime, Lock&) {
    *pointer = nullptr;
    if (const cudaError_t error = runtime.forbid_in_capture(); error != cudaSuccess) return error;
    if (bytes == 0) return cudaSuccess;
    if (runtime.next_allocation_fails()) return cudaErrorMemoryAllocation;
    *pointer = runtime.memory(thread_state().device).allocate(bytes);
    return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaFree(void* pointer) {
  return call([&](Runtime& runtime, Lock& lock) {
    if (pointer == nullptr) return cudaSuccess;
    if (const cudaError_t error = runtime.forbid_in_capture(); error != cudaSuccess) return error;
    DeviceMemory* memory = runtime.memory_of(pointer);
    if (memory == nullptr) return cudaErrorInvalidValue;
    uintptr_t start = 0;
    const DeviceMemory::Block* block = memory->find(pointer, &start);
    if (block == nullptr || start != reinterpret_cast<uintptr_t>(pointer)) {
      runtime.report("cudaFree of " + memory->describe(pointer));
      return cudaErrorInvalidValue;
    }
    const cudaError_t error = runtime.scheduler().run_all(memory->device(), lock);
    if (error != cudaSuccess) return error;
    auto& parts = runtime.parts();
    parts.erase(
        parts.lower_bound(pointer), parts.lower_bound(static_cast<char*>(pointer) + block->extent));
    const std::string problem = memory->free(pointer);
    if (problem.empty()) return cudaSuccess;
    runtime.report(problem);
    return runtime.sticky = cudaErrorIllegalAddress;
  });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
  return call([&](Runtime& runtime, Lock&) {
    *pointer = nullptr;
    if (const cudaError_t error = runtime.forbid_in_capture(); error != cudaSuccess) return error;
    if (bytes == 0) return cudaSuccess;
    if (runtime.next_allocation_fails()) return cudaErrorMemoryAllocation;
    *pointer = runtime.pinned().allocate(bytes);
    return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

static cudaError_t wait_for_all(Runtime& runtime, Lock& lock) {
  for (int device = 0; device < runtime.devices(); ++device) {
    const cudaError_t error = runtime.scheduler().run_all(device, lock);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* pointer) {
  return call([&](Runtime& runtime, Lock& lock) {
    if (pointer == nullptr) return cudaSuccess;
    if (const cudaError_t error = wait_for_all(runtime, lock); error != cudaSuccess) return error;
    return runtime.pinned().free(pointer) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  return call([&](Runtime& runtime, Lock&) {
    if (const cudaError_t error = runtime.forbid_in_capture(); error != cudaSuccess) return error;
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (runtime.next_allocation_fails()) return cudaErrorMemoryAllocation;
    return runtime.pinned().add(pointer, bytes) ? cudaSuccess
                                                : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&](Runtime& runtime, Lock& lock) {
    if (const cudaError_t error = wait_for_all(runtime, lock); error != cudaSuccess) return error;
    return runtime.pinned().remove(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call([&](Runtime& runtime, Lock&) {
    *free = runtime.memory(thread_state().device).free_bytes();
    *total = runtime.memory(thread_state().device).capacity();
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& runtime, Lock& lock) {
    return copy_async(runtime, lock, to, from, bytes, kind, stream);
  });
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call([&](Runtime& runtime, Lock& lock) {
    cudaError_t error = runtime.forbid_in_capture();
    if (error == cudaSuccess) error = copy_async(runtime, lock, to, from, bytes, kind, nullptr);
    return error == cudaSuccess ? synchronize(runtime, lock) : error;
  });
}
cudaError_t cudaMemcpyPeerAsync(
    void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& runtime, Lock& lock) {
    if (!runtime.valid_device(to_device) || !runtime.valid_device(from_device)) {
      return cudaErrorInvalidDevice;
    }
    return copy_async(runtime, lock, to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& runtime, Lock&) {
    const auto queue = runtime.queue(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    if (on_host(runtime, pointer)) return cudaErrorInvalidValue;
    return runtime.issue(queue, {[=, &runtime] { return runtime.set(pointer, value, bytes); }});
  });
}
cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  const cudaError_t error = cudaMemsetAsync(pointer, value, bytes, nullptr);
  return error != cudaSuccess
      ? error
      : call([&](Runtime& runtime, Lock& lock) { return synchronize(runtime, lock); });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&](Runtime& runtime, Lock&) {
    *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, const_cast<void*>(pointer)};
    if (const DeviceMemory* memory = runtime.memory_of(pointer)) {
      if (memory->find(pointer) == nullptr) return cudaErrorInvalidValue;
      *attributes = {cudaMemoryTypeDevice, memory->device(), const_cast<void*>(pointer), nullptr};
    } else if (runtime.pinned().contains(pointer)) {
      *attributes = {
          cudaMemoryTypeHost, thread_state().device, const_cast<void*>(pointer),
          const_cast<void*>(pointer)};
    }
    return cudaSuccess;
  });
}

int cuda_emulation::launch_kernel(
    const void* code, const LaunchShape& shape, cudaStream_t stream, const void* arguments,
    size_t argument_bytes, std::function<void()> thread) {
  return call([&](Runtime& runtime, Lock& lock) {
    const auto queue = runtime.queue(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    if (!shape_fits(shape)) return cudaErrorInvalidConfiguration;
    if (shape.shared_bytes > kSharedPerBlock) return cudaErrorInvalidValue;
    if (queue->device != thread_state().device) return cudaErrorInvalidResourceHandle;
    const bool repeatable = !mentions_pinned(runtime, arguments, argument_bytes);
    const uint64_t seed = runtime.scheduler().random().next();
    const cudaError_t error =
        runtime.issue(queue, {[=, &runtime, device = queue->device] {
                        Execution execution;
                        execution.shape = shape;
                        execution.thread = thread;
                        execution.shared_limit = kSharedPerBlock;
                        execution.seed = seed;
                        return runtime.run(execution, code, device, repeatable);
                      }});
    if (error != cudaSuccess || !runtime.settings().launch_blocking || queue->capture) return error;
    return runtime.scheduler().run_until(runtime.scheduler().end_of(queue), lock);
  });
}
