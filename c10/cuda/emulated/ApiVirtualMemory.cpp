// Entries of the driver's API: memory that is mapped to reserved addresses.

#include <c10/cuda/emulated/Runtime.h>
#include <cuda.h>

#include <array>
#include <cstring>
#include <map>
#include <utility>

using namespace cuda_emulation;

namespace {

// Memory without an address of its own. The device keeps its bytes by address, so they are fresh
// after each mapping, and one piece of memory cannot be mapped twice.
struct Physical {
  int device;
  size_t bytes;
  CUdeviceptr at = 0; // where it is mapped
  bool released = false;
};

std::map<CUmemGenericAllocationHandle, Physical>& all_physical() {
  static std::map<CUmemGenericAllocationHandle, Physical> all;
  return all;
}

void* pointer_to(CUdeviceptr address) {
  return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

// Gives the memory back once no handle and no address leads to it.
void drop_if_unused(Runtime& runtime, CUmemGenericAllocationHandle handle) {
  const Physical& physical = all_physical().at(handle);
  if (!physical.released || physical.at != 0) return;
  runtime.memory(physical.device).give_physical(physical.bytes);
  all_physical().erase(handle);
}

template <typename Body>
CUresult driver_call(Body body) {
  Runtime& runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!runtime.settings().virtual_memory) return CUDA_ERROR_NOT_SUPPORTED;
  return body(runtime, lock);
}

bool whole_granules(size_t bytes) {
  return bytes != 0 && bytes % kGranule == 0;
}

// An allocator reported parts of this memory; nothing of them is left in the range.
void forget_parts(Runtime& runtime, CUdeviceptr address, size_t bytes) {
  auto& parts = runtime.parts();
  void* const from = pointer_to(address);
  void* const to = pointer_to(address + bytes);
  auto part = parts.lower_bound(from);
  if (part != parts.begin()) {
    auto& [start, before] = *std::prev(part);
    const auto begin = reinterpret_cast<CUdeviceptr>(start);
    const CUdeviceptr end = begin + before.first;
    if (end > address) before.first = address - begin;
    if (end > address + bytes) parts[to] = {end - (address + bytes), before.second};
  }
  parts.erase(parts.lower_bound(from), parts.lower_bound(to));
}

} // namespace

CUresult cuGetErrorName(CUresult error, const char** name) {
  static constexpr std::array<std::pair<CUresult, const char*>, 8> names = {{
      {CUDA_SUCCESS, "CUDA_SUCCESS"},
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
      {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
  }};
  *name = nullptr;
  for (const auto& [known, text] : names) {
    if (known == error) *name = text;
  }
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  Runtime& runtime = Runtime::get();
  const Lock lock(runtime.mutex);
  if (!runtime.valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (attribute != CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *value = runtime.settings().virtual_memory ? 1 : 0;
  return CUDA_SUCCESS;
}

// Addresses belong to the current device here, and to none in CUDA.
CUresult cuMemAddressReserve(
    CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr wanted,
    unsigned long long flags) {
  return driver_call([&](Runtime& runtime, Lock&) {
    if (!whole_granules(bytes) || alignment != 0 || wanted != 0 || flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *address = runtime.memory(thread_state().device).reserve(bytes);
    return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return driver_call([&](Runtime& runtime, Lock&) {
    DeviceMemory* memory = runtime.memory_of(pointer_to(address));
    return memory != nullptr && memory->unreserve(address, bytes) ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemCreate(
    CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
    unsigned long long flags) {
  return driver_call([&](Runtime& runtime, Lock&) {
    const CUmemLocation& location = properties->location;
    if (!whole_granules(bytes) || flags != 0 || !runtime.valid_device(location.id) ||
        properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (runtime.next_allocation_fails()) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!runtime.memory(location.id).take_physical(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    static CUmemGenericAllocationHandle last = 0;
    all_physical()[*handle = ++last] = {location.id, bytes};
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_call([&](Runtime& runtime, Lock&) {
    const auto found = all_physical().find(handle);
    if (found == all_physical().end() || found->second.released) return CUDA_ERROR_INVALID_VALUE;
    found->second.released = true;
    drop_if_unused(runtime, handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemMap(
    CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
    unsigned long long flags) {
  return driver_call([&](Runtime& runtime, Lock&) {
    const auto found = all_physical().find(handle);
    DeviceMemory* memory = runtime.memory_of(pointer_to(address));
    if (found == all_physical().end() || memory == nullptr || offset != 0 || flags != 0 ||
        found->second.bytes != bytes || found->second.at != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (memory->device() != found->second.device) return CUDA_ERROR_NOT_SUPPORTED;
    if (!memory->map_pages(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    found->second.at = address;
    return CUDA_SUCCESS;
  });
}

// Kernels that use the memory must be done, so work that is still queued runs without it.
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return driver_call([&](Runtime& runtime, Lock&) {
    for (auto& [handle, physical] : all_physical()) {
      if (physical.at != address || physical.bytes != bytes) continue;
      forget_parts(runtime, address, bytes);
      runtime.memory(physical.device).unmap_pages(address, bytes);
      physical.at = 0;
      drop_if_unused(runtime, handle);
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
  });
}

// Memory is open to its own device from the start; peers are those of cudaDeviceEnablePeerAccess.
CUresult cuMemSetAccess(
    CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access, size_t count) {
  return driver_call([&](Runtime& runtime, Lock&) {
    DeviceMemory* memory = runtime.memory_of(pointer_to(address));
    uintptr_t start = 0;
    const auto* block = memory == nullptr ? nullptr : memory->find(pointer_to(address), &start);
    if (block == nullptr || !block->mapped || address + bytes > start + block->extent) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; ++i) {
      if (!runtime.valid_device(access[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
    }
    return CUDA_SUCCESS;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned int, unsigned long long,
    cudaDriverEntryPointQueryResult* status) {
#define ENTRY(name) \
  { #name, reinterpret_cast < void*>(&name) }
  static const std::array<std::pair<const char*, void*>, 14> entries = {{
      ENTRY(cuGetErrorName),
      ENTRY(cuDeviceGetAttribute),
      ENTRY(cuMemAddressReserve),
      ENTRY(cuMemAddressFree),
      ENTRY(cuMemCreate),
      ENTRY(cuMemRelease),
      ENTRY(cuMemMap),
      ENTRY(cuMemUnmap),
      ENTRY(cuMemSetAccess),
      ENTRY(cuModuleLoadData),
      ENTRY(cuModuleGetFunction),
      ENTRY(cuFuncSetAttribute),
      ENTRY(cuFuncGetParamInfo),
      ENTRY(cuLaunchKernel),
  }};
#undef ENTRY
  *function = nullptr;
  for (const auto& [name, entry] : entries) {
    if (std::strcmp(name, symbol) == 0) *function = entry;
  }
  if (status != nullptr) {
    *status =
        *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return cudaSuccess;
}
