// gather, scatter, index, index_put, index_select and index_add.

#include <ATen/Dispatch.h>
#include <ATen/native/AdvancedIndex.h>
#include <ATen/native/IndexedLoop.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/DimOffsets.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <c10/cuda/CUDADeviceAssert.h>
#include <c10/cuda/CUDAShared.h>

#include <cstring>

namespace at::native {
namespace {

// What the kernels read of an IndexedLoop. Offsets of the arrays are in bytes.
struct DeviceLoop {
  DimOffsets<3> dims; // plain, index (elements), indexed
  char* plain;
  const int64_t* index;
  char* indexed;
  int64_t step;
  int64_t bound;
  bool wrap;
  ScalarBytes number; // if `plain` is null

  template <typename T>
  C10_DEVICE T& indexed_at(const DimOffsets<3>::Offsets& at) const {
    int64_t position = index[at[1]];
    if (wrap && position < 0) position += bound;
    CUDA_KERNEL_ASSERT(position >= 0 && position < bound && "index out of bounds");
    return *reinterpret_cast<T*>(indexed + position * step + at[2]);
  }
  template <typename T>
  C10_DEVICE T& plain_at(const DimOffsets<3>::Offsets& at) const {
    return *reinterpret_cast<T*>(plain + at[0]);
  }
  template <typename T>
  C10_DEVICE T source(const DimOffsets<3>::Offsets& at) const {
    if (plain != nullptr) return plain_at<T>(at);
    T value;
    memcpy(static_cast<void*>(&value), number.data, sizeof(T));
    return value;
  }
};

template <typename T>
__global__ void take_kernel(DeviceLoop loop) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= loop.dims.numel) return;
  const auto at = loop.dims(i);
  loop.plain_at<T>(at) = loop.indexed_at<T>(at);
}

template <typename T>
__global__ void put_kernel(DeviceLoop loop) {
  C10_ORDER_DEPENDENT(); // of two writes to one element, either may stay
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= loop.dims.numel) return;
  const auto at = loop.dims(i);
  loop.indexed_at<T>(at) = loop.source<T>(at);
}

template <typename T>
__global__ void add_kernel(DeviceLoop loop, T factor) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= loop.dims.numel) return;
  const auto at = loop.dims(i);
  if constexpr (std::is_same_v<T, bool>) {
    if (factor && loop.source<T>(at)) loop.indexed_at<T>(at) = true;
  } else {
    const T value = loop.source<T>(at);
    gpuAtomicAdd(&loop.indexed_at<T>(at), static_cast<T>(value * factor));
  }
}

template <typename T>
__global__ void multiply_kernel(DeviceLoop loop) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= loop.dims.numel) return;
  const auto at = loop.dims(i);
  if constexpr (std::is_same_v<T, bool>) {
    if (!loop.source<T>(at)) loop.indexed_at<T>(at) = false;
  } else {
    gpuAtomicMul(&loop.indexed_at<T>(at), loop.source<T>(at));
  }
}

template <typename T>
__global__ void extremum_kernel(DeviceLoop loop, bool greatest) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= loop.dims.numel) return;
  const auto at = loop.dims(i);
  const T value = loop.source<T>(at);
  // NaN wins over every number.
  detail::atomic_update(&loop.indexed_at<T>(at), [=](T old) -> T {
    const bool wins = greatest ? value > old : value < old;
    return wins || value != value ? value : old;
  });
}

DeviceLoop device_loop(IndexedLoop& loop, size_t itemsize) {
  loop.coalesce();
  DeviceLoop result{{},
                    loop.plain,
                    loop.index,
                    loop.indexed,
                    loop.step,
                    loop.bound,
                    loop.policy == OutOfBounds::Wrap,
                    {}};
  for (size_t d = loop.sizes.size(); d-- > 0;) {
    result.dims.add(
        loop.sizes[d], {loop.plain_strides[d], loop.index_strides[d], loop.indexed_strides[d]});
  }
  if (loop.number) {
    std::memcpy(result.number.data, loop.plain, itemsize);
    result.plain = nullptr;
  }
  return result;
}

template <typename... Parameters, typename... Arguments>
void launch_loop(void (*kernel)(Parameters...), const DeviceLoop& loop, const Arguments&... rest) {
  const int64_t n = loop.dims.numel;
  const int64_t threads = std::min<int64_t>(256, ceil_div(n, 32) * 32);
  launch_on_current_stream(
      kernel, static_cast<unsigned>(ceil_div(n, threads)), static_cast<unsigned>(threads), 0, loop,
      rest...);
}

template <typename F>
bool for_accumulated_dtype(ScalarType dtype, const F& f) {
  if (c10::isBarebonesUnsignedType(dtype) || dtype == kComplexHalf) {
    return false;
  }
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kBool, kHalf, kBFloat16, dtype, "indexed", [&] { f(scalar_t()); });
  return true;
}

bool indexed_on_device(
    IndexedLoop& loop, IndexedAction action, ScalarType dtype, const Scalar& factor) {
  if (loop.numel() == 0) {
    return true;
  }
  const size_t itemsize = c10::elementSize(dtype);
  const DeviceLoop on_device = device_loop(loop, itemsize);
  switch (action) {
    case IndexedAction::Take:
      dispatch_itemsize(
          itemsize, [&](auto element) { launch_loop(take_kernel<decltype(element)>, on_device); });
      return true;
    case IndexedAction::Put:
      dispatch_itemsize(
          itemsize, [&](auto element) { launch_loop(put_kernel<decltype(element)>, on_device); });
      return true;
    case IndexedAction::Add:
      return for_accumulated_dtype(dtype, [&](auto zero) {
        using T = decltype(zero);
        launch_loop(add_kernel<T>, on_device, factor.to<T>());
      });
    case IndexedAction::Multiply:
      return for_accumulated_dtype(
          dtype, [&](auto zero) { launch_loop(multiply_kernel<decltype(zero)>, on_device); });
    case IndexedAction::Maximum:
    case IndexedAction::Minimum:
      return for_accumulated_dtype(dtype, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!c10::is_complex<T>::value) {
          launch_loop(extremum_kernel<T>, on_device, action == IndexedAction::Maximum);
        }
      });
  }
  return false;
}

void fold_index_on_device(
    const int64_t* index, int64_t* offsets, int64_t count, int64_t bound, int64_t stride,
    bool first) {
  for_each_index(count, [=] C10_DEVICE(int64_t i) {
    int64_t position = index[i];
    if (position < 0) position += bound;
    CUDA_KERNEL_ASSERT(position >= 0 && position < bound && "index out of bounds");
    offsets[i] = (first ? 0 : offsets[i]) + position * stride;
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(indexed_stub, &indexed_on_device)
REGISTER_CUDA_DISPATCH(fold_index_stub, &fold_index_on_device)

} // namespace at::native
