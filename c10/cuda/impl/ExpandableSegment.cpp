#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/DriverApi.h>
#include <c10/cuda/impl/ExpandableSegment.h>

namespace c10::cuda::CUDACachingAllocator {

namespace {

CUdeviceptr address_of(const std::byte* data) {
  return reinterpret_cast<CUdeviceptr>(data);
}

// The device itself and those that can reach its memory.
std::vector<CUmemAccessDesc> readers_of(DeviceIndex device) {
  std::vector<CUmemAccessDesc> readers;
  for (DeviceIndex other = 0; other < device_count(); ++other) {
    int reaches = 1;
    if (other != device) C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&reaches, other, device));
    if (reaches == 0) continue;
    CUmemAccessDesc& reader = readers.emplace_back();
    reader.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    reader.location.id = other;
    reader.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  return readers;
}

} // namespace

ExpandableSegment::ExpandableSegment(DeviceIndex device, size_t chunk)
    : device_(device), chunk_(chunk) {
  // An eighth more than the memory, since free chunks may lie between blocks.
  const size_t memory = device_properties(device).totalGlobalMem;
  chunks_.resize((memory + memory / 8 + chunk - 1) / chunk);
  CUdeviceptr start = 0;
  C10_CUDA_DRIVER_CHECK(DriverApi::get().cuMemAddressReserve(&start, size(), 0, 0, 0));
  data_ = reinterpret_cast<std::byte*>(start); // NOLINT(performance-no-int-to-ptr)
}

ExpandableSegment::~ExpandableSegment() {
  // Its chunks were unmapped before: the allocator destroys only segments without memory.
  DriverApi::get().cuMemAddressFree(address_of(data_), size());
}

bool ExpandableSegment::map_chunk(size_t index) {
  const DriverApi& driver = DriverApi::get();
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device_;
  CUmemGenericAllocationHandle handle = 0;
  const CUresult made = driver.cuMemCreate(&handle, chunk_, &properties, 0);
  if (made == CUDA_ERROR_OUT_OF_MEMORY) return false;
  if (made != CUDA_SUCCESS) throw_driver_error(made, "cuMemCreate");
  const CUdeviceptr start = address_of(data_ + index * chunk_);
  const CUresult mapped = driver.cuMemMap(start, chunk_, 0, handle, 0);
  if (mapped != CUDA_SUCCESS) {
    driver.cuMemRelease(handle);
    throw_driver_error(mapped, "cuMemMap");
  }
  chunks_[index] = handle;
  return true;
}

bool ExpandableSegment::map(std::byte* from, size_t bytes) {
  const size_t first = static_cast<size_t>(from - data_) / chunk_;
  for (size_t i = 0; i < bytes / chunk_; ++i) {
    if (map_chunk(first + i)) continue;
    unmap(from, i * chunk_);
    return false;
  }
  const auto readers = readers_of(device_);
  const CUresult opened =
      DriverApi::get().cuMemSetAccess(address_of(from), bytes, readers.data(), readers.size());
  if (opened == CUDA_SUCCESS) return true;
  unmap(from, bytes);
  throw_driver_error(opened, "cuMemSetAccess");
}

void ExpandableSegment::unmap(std::byte* from, size_t bytes) {
  const DriverApi& driver = DriverApi::get();
  const size_t first = static_cast<size_t>(from - data_) / chunk_;
  for (size_t i = first; i < first + bytes / chunk_; ++i) {
    C10_CUDA_DRIVER_CHECK(driver.cuMemUnmap(address_of(data_ + i * chunk_), chunk_));
    C10_CUDA_DRIVER_CHECK(driver.cuMemRelease(*chunks_[i]));
    chunks_[i].reset();
  }
}

std::string why_not_expandable(DeviceIndex device) {
  const DriverApi& driver = DriverApi::get();
  if (!driver.missing.empty()) return "the driver lacks " + driver.missing;
  int supported = 0;
  C10_CUDA_DRIVER_CHECK(driver.cuDeviceGetAttribute(
      &supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
  return supported != 0 ? "" : "the device does not support the mapping of memory";
}

} // namespace c10::cuda::CUDACachingAllocator
