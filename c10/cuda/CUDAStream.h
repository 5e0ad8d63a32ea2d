#pragma once

#include <c10/core/Stream.h>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <cuda_runtime_api.h>

#include <functional>
#include <iosfwd>
#include <utility>

namespace c10::cuda {

// A c10::Stream that is known to be of a CUDA device.
//
// Each thread has a current stream per device, at first the device's default stream. Other streams
// come from a pool: per device and priority, 32 streams that are made when the first is asked for,
// and handed out in turn. Creating one costs tens of microseconds and they are never destroyed, so
// a program that asks in every iteration reuses streams instead of collecting them. They are
// non-blocking: nothing orders them with the default stream but events.
//
// A StreamId says which stream it is without a table: 0 is the default stream; an odd number is one
// of the pool's, (index << 4 | priority class << 1 | 1); any other is a cudaStream_t that someone
// else made (handles are at least 2-aligned).
class C10_CUDA_API CUDAStream {
 public:
  enum Unchecked { UNCHECKED };

  explicit CUDAStream(Stream stream) : stream_(stream) {
    TORCH_CHECK(stream.device_type() == DeviceType::CUDA, "expected a CUDA stream, got ", stream);
  }
  CUDAStream(Unchecked, Stream stream) : stream_(stream) {}

  bool operator==(const CUDAStream& other) const noexcept { return unwrap() == other.unwrap(); }
  operator cudaStream_t() const { return stream(); }
  operator Stream() const { return unwrap(); }

  static constexpr DeviceType device_type() { return DeviceType::CUDA; }
  DeviceIndex device_index() const { return stream_.device_index(); }
  Device device() const { return stream_.device(); }
  StreamId id() const { return stream_.id(); }
  Stream unwrap() const { return stream_; }

  // Whether all its work is done.
  bool query() const;
  void synchronize() const;
  // Lower numbers come first.
  int priority() const;
  // The lowest priority of the device (a number of at least 0) and the highest (at most -1).
  static std::pair<int, int> priority_range();
  cudaStream_t stream() const;

 private:
  Stream stream_;
};

// Device -1 is the current one.
C10_CUDA_API CUDAStream getStreamFromPool(bool high_priority = false, DeviceIndex device = -1);
// Priorities beyond the device's range count as the nearest.
C10_CUDA_API CUDAStream getStreamFromPool(int priority, DeviceIndex device = -1);
// A stream that the caller made and keeps alive.
C10_CUDA_API CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device);
C10_CUDA_API CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
C10_CUDA_API CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
C10_CUDA_API void setCurrentCUDAStream(CUDAStream stream);

C10_CUDA_API std::ostream& operator<<(std::ostream& out, const CUDAStream& stream);

} // namespace c10::cuda

template <>
struct std::hash<c10::cuda::CUDAStream> {
  size_t operator()(const c10::cuda::CUDAStream& stream) const noexcept {
    return std::hash<c10::StreamId>()(stream.id() * 128 + stream.device_index());
  }
};
