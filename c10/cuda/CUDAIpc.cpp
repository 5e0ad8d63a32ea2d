#include <c10/cuda/CUDAIpc.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace c10::cuda {
namespace {

using CUDACachingAllocator::SegmentInfo;

SegmentInfo segment_of(const void* data) {
  const auto address = reinterpret_cast<size_t>(data);
  for (const SegmentInfo& segment : CUDACachingAllocator::snapshot()) {
    if (address >= segment.address && address < segment.address + segment.total_size) {
      return segment;
    }
  }
  TORCH_CHECK(
      false, "Only memory of the CUDA caching allocator can be shared with other processes.");
}

// Another process's segment, mapped into this one.
using Mapping = std::shared_ptr<void>;

struct Unmap {
  void operator()(void* start) const { C10_CUDA_CHECK_WARN(cudaIpcCloseMemHandle(start)); }
};

Mapping map_segment(const SharedBlock& block) {
  static std::mutex mutex;
  static auto* const mappings =
      new std::map<std::pair<DeviceIndex, std::string>, std::weak_ptr<void>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::erase_if(*mappings, [](const auto& entry) { return entry.second.expired(); });
  auto& known = (*mappings)[{block.device, block.segment}];
  if (Mapping mapping = known.lock()) return mapping;
  cudaIpcMemHandle_t handle;
  TORCH_CHECK(
      block.segment.size() == sizeof(handle.reserved), "The handle of a segment has ",
      sizeof(handle.reserved), " bytes, but this one has ", block.segment.size(), ".");
  std::memcpy(handle.reserved, block.segment.data(), sizeof(handle.reserved));
  void* start = nullptr;
  C10_CUDA_CHECK(cudaIpcOpenMemHandle(&start, handle, cudaIpcMemLazyEnablePeerAccess));
  Mapping mapping(start, Unmap());
  known = mapping;
  return mapping;
}

struct OpenBlock {
  Mapping segment;
  DeviceIndex device;
  std::function<void()> closed;
};

void close_block(void* context) {
  const std::unique_ptr<OpenBlock> block(static_cast<OpenBlock*>(context));
  C10_CUDA_CHECK_WARN(cudaStreamSynchronize(getCurrentCUDAStream(block->device)));
  block->segment.reset();
  block->closed();
}

} // namespace

SharedBlock share_block(const DataPtr& data) {
  TORCH_CHECK(
      data.get_deleter() != close_block,
      "Attempted to send CUDA tensor received from another process; this is not currently "
      "supported. Consider cloning before sending.");
  const SegmentInfo segment = segment_of(data.get());
  TORCH_CHECK(
      !segment.is_expandable,
      "Memory of expandable segments cannot be shared with other processes: leave "
      "expandable_segments out of PYTORCH_CUDA_ALLOC_CONF.");
  cudaIpcMemHandle_t handle;
  const CUDAGuard guard(segment.device);
  C10_CUDA_CHECK(cudaIpcGetMemHandle(
      &handle, reinterpret_cast<void*>(segment.address))); // NOLINT(performance-no-int-to-ptr)
  return {
      segment.device, std::string(handle.reserved, sizeof(handle.reserved)),
      reinterpret_cast<size_t>(data.get()) - segment.address};
}

DataPtr open_block(const SharedBlock& block, std::function<void()> closed) {
  const CUDAGuard guard(block.device);
  auto open =
      std::make_unique<OpenBlock>(OpenBlock{map_segment(block), block.device, std::move(closed)});
  void* const data = static_cast<char*>(open->segment.get()) + block.offset;
  return {data, open.release(), close_block, Device(DeviceType::CUDA, block.device)};
}

} // namespace c10::cuda
