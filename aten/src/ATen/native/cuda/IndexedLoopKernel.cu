// gather, scatter, index, index_put, index_select and index_add.

#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/native/AdvancedIndex.h>
#include <ATen/native/IndexedLoop.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/DimOffsets.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/RadixSort.cuh>
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

// ---- updates by sorting: one thread makes all those of an element, in their order

// The loop in two parts: dimensions with an index, and the slices that an index selects.
struct SortedLoop {
  DimOffsets<3> indexed_dims; // plain, index (elements), indexed
  DimOffsets<2> slices;       // plain, indexed
  DeviceLoop loop;

  SortedLoop(const IndexedLoop& from, const DeviceLoop& on_device) : loop(on_device) {
    for (size_t d = from.sizes.size(); d-- > 0;) {
      if (from.index_strides[d] != 0) {
        indexed_dims.add(
            from.sizes[d], {from.plain_strides[d], from.index_strides[d], from.indexed_strides[d]});
      } else {
        slices.add(from.sizes[d], {from.plain_strides[d], from.indexed_strides[d]});
      }
    }
  }

  // Where the slice that the position's index selects starts in `indexed`.
  C10_DEVICE int64_t target(int64_t position) const {
    const auto at = indexed_dims(position);
    int64_t index = loop.index[at[1]];
    if (loop.wrap && index < 0) index += loop.bound;
    CUDA_KERNEL_ASSERT(index >= 0 && index < loop.bound && "index out of bounds");
    return index * loop.step + at[2];
  }
};

// What two updates of an element give, in the type of sums.
template <typename Wide>
struct AddScaled {
  static constexpr bool kReadsTarget = true;
  Wide factor;
  C10_DEVICE Wide operator()(Wide sum, Wide value) const { return sum + value * factor; }
};
template <typename T>
struct KeepLast {
  static constexpr bool kReadsTarget = false;
  C10_DEVICE T operator()(T, T value) const { return value; }
};

template <typename T, typename Wide, typename Update>
void update_in_order(const SortedLoop& job, const Update& update) {
  const int64_t count = job.indexed_dims.numel, width = job.slices.numel;
  radix::Buffer<uint64_t> targets(count);
  uint64_t* keys = targets.data();
  for_each_index(
      count, [=] C10_DEVICE(int64_t i) { keys[i] = static_cast<uint64_t>(job.target(i)); });
  const auto order = radix::sorted_positions(targets, 1, count);
  const uint64_t* sorted = targets.data();
  const uint32_t* positions = order.data();
  for_each_index(count * width, [=] C10_DEVICE(int64_t at) {
    const int64_t first = at / width;
    const uint64_t target = sorted[first];
    if (first > 0 && sorted[first - 1] == target) return;
    const auto slice = job.slices(at % width);
    T& element = *reinterpret_cast<T*>(job.loop.indexed + target + slice[1]);
    Wide result = Update::kReadsTarget ? static_cast<Wide>(element) : Wide();
    for (int64_t k = first; k < count && sorted[k] == target; ++k) {
      auto from = job.indexed_dims(positions[k]);
      from.of[0] += slice[0];
      result = update(result, static_cast<Wide>(job.loop.source<T>(from)));
    }
    element = static_cast<T>(result);
  });
}

// 16-bit sums are kept in float and rounded once. All others are sums of atomic additions, unless
// the order must be the same in every run.
template <typename T>
bool add_in_order(const IndexedLoop& loop, const DeviceLoop& on_device, const Scalar& factor) {
  constexpr bool is_short_float = std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>;
  constexpr bool rounds =
      is_short_float || std::is_floating_point_v<T> || c10::is_complex<T>::value;
  if constexpr (rounds) {
    if (is_short_float || at::globalContext().deterministicAlgorithms()) {
      using Wide = at::opmath_type<T>;
      update_in_order<T, Wide>(SortedLoop(loop, on_device), AddScaled<Wide>{factor.to<Wide>()});
      return true;
    }
  }
  return false;
}

template <typename F>
bool for_accumulated_dtype(ScalarType dtype, const F& f) {
  if (c10::isStorageType(dtype) || dtype == kComplexHalf) {
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
      dispatch_itemsize(itemsize, [&](auto element) {
        using T = decltype(element);
        if (at::globalContext().deterministicAlgorithms()) {
          update_in_order<T, T>(SortedLoop(loop, on_device), KeepLast<T>());
        } else {
          launch_loop(put_kernel<T>, on_device);
        }
      });
      return true;
    case IndexedAction::Add:
      return for_accumulated_dtype(dtype, [&](auto zero) {
        using T = decltype(zero);
        if (!add_in_order<T>(loop, on_device, factor)) {
          launch_loop(add_kernel<T>, on_device, factor.to<T>());
        }
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
