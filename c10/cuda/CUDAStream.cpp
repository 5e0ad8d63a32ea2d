#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <c10/cuda/CUDASyncDebug.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <ostream>
#include <vector>

namespace c10::cuda {

namespace {

constexpr size_t kStreamsPerPriority = 32;
constexpr int kPriorityClasses = 4; // 0, -1, -2, -3: devices have six at most

struct Pool {
  std::once_flag made;
  std::array<cudaStream_t, kStreamsPerPriority> streams{};
  std::atomic<uint32_t> next{0};
};

Pool& pool(DeviceIndex device, int priority_class) {
  using PoolsOfDevice = std::array<Pool, kPriorityClasses>;
  // Streams outlive all objects that use them.
  static auto* pools =
      new std::vector<PoolsOfDevice>(static_cast<size_t>(device_count_ensure_non_zero()));
  Pool& result = (*pools)[static_cast<size_t>(device)][static_cast<size_t>(priority_class)];
  std::call_once(result.made, [&] {
    const CUDAGuard guard(device);
    for (cudaStream_t& stream : result.streams) {
      C10_CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -priority_class));
    }
  });
  return result;
}

bool from_pool(StreamId id) {
  return (id & 1) != 0;
}
CUDAStream make_stream(DeviceIndex device, StreamId id) {
  return {CUDAStream::UNCHECKED, Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id)};
}

std::vector<StreamId>& current_streams() {
  thread_local std::vector<StreamId> ids(static_cast<size_t>(device_count_ensure_non_zero()), 0);
  return ids;
}

DeviceIndex resolved(DeviceIndex device) {
  if (device == -1) return current_device();
  const DeviceIndex count = device_count_ensure_non_zero();
  TORCH_CHECK(
      device >= 0 && device < count, "CUDA device ", static_cast<int>(device),
      " does not exist: this process sees ", static_cast<int>(count));
  return device;
}

} // namespace

cudaStream_t CUDAStream::stream() const {
  const StreamId id = stream_.id();
  if (id == 0) return nullptr;
  if (!from_pool(id)) return reinterpret_cast<cudaStream_t>(id); // NOLINT
  const int priority_class = static_cast<int>(id >> 1 & 7);
  return pool(device_index(), priority_class).streams[static_cast<size_t>(id >> 4)];
}

// The default stream has no handle of its own: a null one means that of the current device.
bool CUDAStream::query() const {
  const CUDAGuard guard(device());
  const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaStreamQuery(stream()));
  if (error == cudaErrorNotReady) {
    C10_CUDA_CLEAR_ERROR();
    return false;
  }
  C10_CUDA_CHECK(error);
  return true;
}

void CUDAStream::synchronize() const {
  report_sync();
  const CUDAGuard guard(device());
  C10_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

int CUDAStream::priority() const {
  const CUDAGuard guard(device());
  int priority = 0;
  C10_CUDA_CHECK(cudaStreamGetPriority(stream(), &priority));
  return priority;
}

std::pair<int, int> CUDAStream::priority_range() {
  int least = 0;
  int greatest = 0;
  C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  return {least, std::max(greatest, 1 - kPriorityClasses)};
}

CUDAStream getStreamFromPool(int priority, DeviceIndex device) {
  device = resolved(device);
  const auto [least, greatest] = CUDAStream::priority_range();
  const int priority_class = -std::clamp(priority, greatest, least);
  const uint32_t index =
      pool(device, priority_class).next.fetch_add(1) % uint32_t{kStreamsPerPriority};
  return make_stream(device, StreamId{index} << 4 | StreamId{priority_class} << 1 | 1);
}

CUDAStream getStreamFromPool(bool high_priority, DeviceIndex device) {
  return getStreamFromPool(high_priority ? CUDAStream::priority_range().second : 0, device);
}

CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
  const auto id = reinterpret_cast<StreamId>(stream);
  TORCH_CHECK(!from_pool(id), "not a cudaStream_t: ", id);
  return make_stream(resolved(device), id);
}

CUDAStream getDefaultCUDAStream(DeviceIndex device) {
  return make_stream(resolved(device), 0);
}

CUDAStream getCurrentCUDAStream(DeviceIndex device) {
  device = resolved(device);
  return make_stream(device, current_streams()[static_cast<size_t>(device)]);
}

void setCurrentCUDAStream(CUDAStream stream) {
  current_streams()[static_cast<size_t>(resolved(stream.device_index()))] = stream.id();
}

std::ostream& operator<<(std::ostream& out, const CUDAStream& stream) {
  return out << stream.unwrap();
}

} // namespace c10::cuda
