// Padding and interpolation; see native/Resample.h.

#include <ATen/native/Resample.h>
#include <ATen/native/ScalarBytes.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/ReduceTypes.cuh>
#include <c10/cuda/CachingHostAllocator.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace at::native {
namespace {

// An AxisMap in device memory.
struct DeviceAxis {
  const int64_t* first;
  const int64_t* second; // null if the map only copies
  const double* by;
  int64_t size;
};

// Both maps of a resampling, in one block of device memory.
class DeviceMaps {
 public:
  explicit DeviceMaps(const Resampling& job) {
    std::vector<uint64_t> words;
    const Parts rows = append(job.rows, words), columns = append(job.columns, words);
    const size_t bytes = words.size() * sizeof(uint64_t);
    memory_ = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
    // From pinned memory, so that the host need not wait for the copy.
    namespace host = c10::cuda::CachingHostAllocator;
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const c10::DataPtr pinned = host::get()->allocate(bytes);
    std::memcpy(pinned.get(), words.data(), bytes);
    C10_CUDA_CHECK(cudaMemcpyAsync(
        memory_.get(), pinned.get(), bytes, cudaMemcpyHostToDevice, stream.stream()));
    host::recordStream(pinned.get(), stream);
    rows_ = in_memory(rows, job.rows.size());
    columns_ = in_memory(columns, job.columns.size());
  }
  const DeviceAxis& rows() const { return rows_; }
  const DeviceAxis& columns() const { return columns_; }

 private:
  struct Parts {
    size_t first, second, by;
    bool mixes;
  };

  template <typename T>
  static size_t append(const std::vector<T>& values, std::vector<uint64_t>& words) {
    static_assert(sizeof(T) == sizeof(uint64_t));
    const size_t at = words.size();
    words.resize(at + values.size());
    std::memcpy(words.data() + at, values.data(), values.size() * sizeof(T));
    return at;
  }
  static Parts append(const AxisMap& map, std::vector<uint64_t>& words) {
    Parts parts{};
    parts.first = append(map.first, words);
    parts.second = append(map.second, words);
    parts.by = append(map.by, words);
    parts.mixes = !map.second.empty();
    return parts;
  }
  DeviceAxis in_memory(const Parts& parts, int64_t size) const {
    const auto* words = static_cast<const uint64_t*>(memory_.get());
    return {
        reinterpret_cast<const int64_t*>(words + parts.first),
        parts.mixes ? reinterpret_cast<const int64_t*>(words + parts.second) : nullptr,
        reinterpret_cast<const double*>(words + parts.by), size};
  }

  c10::DataPtr memory_;
  DeviceAxis rows_, columns_;
};

template <typename T>
void take(const Resampling& job, const DeviceMaps& maps, const void* in, void* out) {
  const DeviceAxis rows = maps.rows(), columns = maps.columns();
  const int64_t in_w = job.in_w, in_size = job.in_h * job.in_w;
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  for_each_index(job.planes * rows.size * columns.size, [=] C10_DEVICE(int64_t i) {
    const int64_t w = i % columns.size, h = i / columns.size % rows.size;
    const int64_t plane = i / columns.size / rows.size;
    to[i] = from[plane * in_size + rows.first[h] * in_w + columns.first[w]];
  });
}

template <typename T, typename Wide>
C10_DEVICE inline T rounded(Wide value) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    const Wide whole = std::nearbyint(value);
    return static_cast<uint8_t>(whole < Wide(0) ? Wide(0) : whole > Wide(255) ? Wide(255) : whole);
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
void mix(const Resampling& job, const DeviceMaps& maps, const void* in, void* out) {
  using Wide = std::conditional_t<std::is_same_v<T, uint8_t>, float, device_acc_t<T>>;
  const DeviceAxis rows = maps.rows(), columns = maps.columns();
  const int64_t in_w = job.in_w, in_size = job.in_h * job.in_w;
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  for_each_index(job.planes * rows.size * columns.size, [=] C10_DEVICE(int64_t i) {
    const int64_t w = i % columns.size, h = i / columns.size % rows.size;
    const T* plane = from + i / columns.size / rows.size * in_size;
    const T* upper = plane + rows.first[h] * in_w;
    const T* lower = plane + rows.second[h] * in_w;
    const Wide low = static_cast<Wide>(rows.by[h]), right = static_cast<Wide>(columns.by[w]);
    const int64_t a = columns.first[w], b = columns.second[w];
    const Wide first =
        (Wide(1) - low) * static_cast<Wide>(upper[a]) + low * static_cast<Wide>(lower[a]);
    const Wide second =
        (Wide(1) - low) * static_cast<Wide>(upper[b]) + low * static_cast<Wide>(lower[b]);
    to[i] = rounded<T>((Wide(1) - right) * first + right * second);
  });
}

void resample_on_device(ScalarType dtype, const Resampling& job, const void* in, void* out) {
  const DeviceMaps maps(job);
  if (job.columns.second.empty()) {
    dispatch_itemsize(c10::elementSize(dtype), [&](auto element) {
      take<decltype(element)>(job, maps, in, out);
    });
  } else if (dtype == kByte) {
    mix<uint8_t>(job, maps, in, out);
  } else {
    AT_DISPATCH_FLOATING_TYPES_AND2(
        kHalf, kBFloat16, dtype, "upsample", [&] { mix<scalar_t>(job, maps, in, out); });
  }
}

template <typename T>
void spread(const Resampling& job, const DeviceMaps& maps, const void* grad, void* grad_in) {
  const DeviceAxis rows = maps.rows(), columns = maps.columns();
  const int64_t in_w = job.in_w, in_size = job.in_h * job.in_w;
  const auto* from = static_cast<const T*>(grad);
  auto* to = static_cast<T*>(grad_in);
  C10_CUDA_CHECK(cudaMemsetAsync(
      to, 0, static_cast<size_t>(job.planes * in_size) * sizeof(T),
      c10::cuda::getCurrentCUDAStream().stream()));
  for_each_index(job.planes * rows.size * columns.size, [=] C10_DEVICE(int64_t i) {
    const int64_t w = i % columns.size, h = i / columns.size % rows.size;
    T* plane = to + i / columns.size / rows.size * in_size;
    const T g = from[i];
    if (columns.second == nullptr) {
      gpuAtomicAdd(plane + rows.first[h] * in_w + columns.first[w], g);
      return;
    }
    const T low = static_cast<T>(rows.by[h]), right = static_cast<T>(columns.by[w]);
    const int64_t upper = rows.first[h] * in_w, lower = rows.second[h] * in_w;
    const int64_t a = columns.first[w], b = columns.second[w];
    gpuAtomicAdd(plane + upper + a, (T(1) - low) * (T(1) - right) * g);
    gpuAtomicAdd(plane + upper + b, (T(1) - low) * right * g);
    gpuAtomicAdd(plane + lower + a, low * (T(1) - right) * g);
    gpuAtomicAdd(plane + lower + b, low * right * g);
  });
}

void resample_backward_on_device(
    ScalarType dtype, const Resampling& job, const void* grad, void* grad_in) {
  const DeviceMaps maps(job);
  dtype == kDouble ? spread<double>(job, maps, grad, grad_in)
                   : spread<float>(job, maps, grad, grad_in);
}

} // namespace

REGISTER_CUDA_DISPATCH(resample_stub, &resample_on_device)
REGISTER_CUDA_DISPATCH(resample_backward_stub, &resample_backward_on_device)

} // namespace at::native
