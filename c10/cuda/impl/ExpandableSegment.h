#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace c10::cuda::CUDACachingAllocator {

// Addresses for all of a device's memory, which are backed by memory in chunks of one size. A
// segment grows where cudaMalloc would have to give another one, so requests whose sizes change
// from one step to the next leave no segments behind that are too small for anything.
class ExpandableSegment {
 public:
  ExpandableSegment(DeviceIndex device, size_t chunk);
  ~ExpandableSegment();
  ExpandableSegment(const ExpandableSegment&) = delete;
  ExpandableSegment& operator=(const ExpandableSegment&) = delete;

  std::byte* data() const { return data_; }
  size_t size() const { return chunks_.size() * chunk_; }
  size_t chunk() const { return chunk_; }

  // Whole chunks. Without enough memory, nothing is mapped, and the result is false.
  bool map(std::byte* from, size_t bytes);
  // Work that uses them must be done.
  void unmap(std::byte* from, size_t bytes);

 private:
  bool map_chunk(size_t index);

  const DeviceIndex device_;
  const size_t chunk_;
  std::byte* data_ = nullptr;
  std::vector<std::optional<unsigned long long>> chunks_; // handles of the driver
};

// Why the driver or the device cannot map memory, or nothing.
std::string why_not_expandable(DeviceIndex device);

} // namespace c10::cuda::CUDACachingAllocator
