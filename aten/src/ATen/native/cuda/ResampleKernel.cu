// Padding and interpolation; see native/Resample.h.

#include <ATen/native/Resample.h>
#include <ATen/native/ScalarBytes.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/DeviceTables.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/ReduceTypes.cuh>

#include <cmath>

namespace at::native {
namespace {

// An AxisMap in device memory.
struct DeviceAxis {
  const int64_t* first;
  const int64_t* second; // null if the map only copies
  const double* by;
  int64_t size;
};

// Both maps of a resampling in device memory.
class DeviceMaps {
 public:
  explicit DeviceMaps(const Resampling& job) {
    DeviceTables tables;
    const Parts rows = append(job.rows, tables), columns = append(job.columns, tables);
    memory_ = tables.upload();
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

  static Parts append(const AxisMap& map, DeviceTables& tables) {
    return {tables.add(map.first), tables.add(map.second), tables.add(map.by), !map.second.empty()};
  }
  DeviceAxis in_memory(const Parts& parts, int64_t size) const {
    return {
        DeviceTables::at<int64_t>(memory_, parts.first),
        parts.mixes ? DeviceTables::at<int64_t>(memory_, parts.second) : nullptr,
        DeviceTables::at<double>(memory_, parts.by), size};
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
