#include <ATen/native/ScanStub.h>
#include <ATen/native/cuda/ReduceTypes.cuh>

namespace at::native {
namespace {

constexpr int kScanThreads = 128;
constexpr int kScanItems = 4; // adjacent elements of a thread

// Integers wrap around in their own width, as on the CPU.
template <typename T>
using scan_acc_t = std::conditional_t<
    std::is_same_v<T, bool>, int64_t,
    std::conditional_t<std::is_integral_v<T>, T, device_acc_t<T>>>;

template <typename T, bool is_sum>
C10_DEVICE inline T join(T a, T b) {
  if constexpr (is_sum) {
    return static_cast<T>(a + b);
  } else {
    return static_cast<T>(a * b);
  }
}

// Scans a chunk of a row, tile by tile. With `sums`, stores only the chunk's total there; else adds
// the total of the chunks before it, which `before` has if there are several.
template <typename T, bool is_sum>
__global__ void scan_rows_kernel(
    const T* in, T* out, int64_t n, int64_t chunk, scan_acc_t<T>* sums,
    const scan_acc_t<T>* before) {
  using Acc = scan_acc_t<T>;
  C10_DYNAMIC_SHARED(Acc, shared); // one per warp, and the carry
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  const int64_t row = blockIdx.x;
  const int64_t chunks = gridDim.y;
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * chunk;
  const int64_t end = begin + chunk < n ? begin + chunk : n;
  Acc carry = Acc(is_sum ? 0 : 1);
  if (before != nullptr && blockIdx.y > 0) carry = before[row * chunks + blockIdx.y - 1];
  const int64_t tile = static_cast<int64_t>(blockDim.x) * kScanItems;
  for (int64_t start = begin; start < end; start += tile) {
    const int64_t first = start + static_cast<int64_t>(threadIdx.x) * kScanItems;
    Acc items[kScanItems];
    Acc total = Acc(is_sum ? 0 : 1);
#pragma unroll
    for (int k = 0; k < kScanItems; ++k) {
      const Acc x =
          first + k < end ? static_cast<Acc>(in[row * n + first + k]) : Acc(is_sum ? 0 : 1);
      total = k == 0 ? x : join<Acc, is_sum>(total, x);
      items[k] = total;
    }
    const Acc inclusive = block_inclusive_scan(
        total, [](const Acc& a, const Acc& b) { return join<Acc, is_sum>(a, b); }, shared);
    // What precedes the thread within the tile, from the lane or warp before it.
    Acc preceding = warp_shuffle_up(inclusive, 1);
    if (threadIdx.x % kWarpSize == kWarpSize - 1) shared[threadIdx.x / kWarpSize] = inclusive;
    __syncthreads();
    if (threadIdx.x % kWarpSize == 0 && threadIdx.x > 0) {
      preceding = shared[threadIdx.x / kWarpSize - 1];
    }
    const Acc tile_total = shared[warps - 1];
    __syncthreads();
    const Acc base = threadIdx.x == 0 ? carry : join<Acc, is_sum>(carry, preceding);
    if (sums == nullptr) {
#pragma unroll
      for (int k = 0; k < kScanItems; ++k) {
        if (first + k < end) {
          out[row * n + first + k] = static_cast<T>(join<Acc, is_sum>(base, items[k]));
        }
      }
    }
    carry = join<Acc, is_sum>(carry, tile_total);
  }
  if (sums != nullptr && threadIdx.x == 0) sums[row * chunks + blockIdx.y] = carry;
}

// Turns the totals of the chunks into running totals.
template <typename Acc, bool is_sum>
void scan_totals(Acc* totals, int64_t rows, int64_t chunks) {
  for_each_index(rows, [=] C10_DEVICE(int64_t row) {
    Acc carry = totals[row * chunks];
    for (int64_t c = 1; c < chunks; ++c) {
      carry = join<Acc, is_sum>(carry, totals[row * chunks + c]);
      totals[row * chunks + c] = carry;
    }
  });
}

template <typename T, bool is_sum>
void scan_columns(const T* in, T* out, int64_t rows, int64_t n, int64_t inner) {
  using Acc = scan_acc_t<T>;
  for_each_index(rows * inner, [=] C10_DEVICE(int64_t column) {
    const int64_t base = column / inner * n * inner + column % inner;
    Acc carry = Acc(is_sum ? 0 : 1);
    for (int64_t k = 0; k < n; ++k) {
      carry = join<Acc, is_sum>(carry, static_cast<Acc>(in[base + k * inner]));
      out[base + k * inner] = static_cast<T>(carry);
    }
  });
}

template <typename T, bool is_sum>
void scan_rows(const T* in, T* out, int64_t rows, int64_t n) {
  using Acc = scan_acc_t<T>;
  const int64_t threads =
      std::clamp<int64_t>(ceil_div(ceil_div(n, kScanItems), 32) * 32, 32, kScanThreads);
  const int64_t tile = threads * kScanItems;
  const int64_t wanted = ceil_div(resident_blocks(threads), rows);
  const int64_t chunks = std::clamp<int64_t>(std::min(wanted, n / (tile * 4)), 1, 1024);
  const int64_t chunk = ceil_div(ceil_div(n, chunks), tile) * tile;
  const dim3 grid(static_cast<unsigned>(rows), static_cast<unsigned>(ceil_div(n, chunk)));
  const auto block = static_cast<unsigned>(threads);
  const size_t shared = static_cast<size_t>(threads / 32 + 1) * sizeof(Acc);
  const auto kernel = scan_rows_kernel<T, is_sum>;
  Acc* const none = nullptr;
  if (grid.y == 1) {
    launch_on_current_stream(kernel, grid, block, shared, in, out, n, chunk, none, none);
    return;
  }
  const size_t bytes = static_cast<size_t>(rows) * grid.y * sizeof(Acc);
  const c10::DataPtr scratch = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
  auto* totals = static_cast<Acc*>(scratch.get());
  launch_on_current_stream(kernel, grid, block, shared, in, out, n, chunk, totals, none);
  scan_totals<Acc, is_sum>(totals, rows, grid.y);
  launch_on_current_stream(kernel, grid, block, shared, in, out, n, chunk, none, totals);
}

template <typename T>
void run_scan(bool is_sum, const void* in, void* out, int64_t rows, int64_t n, int64_t inner) {
  if (rows * n * inner == 0) {
    return;
  }
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  if (inner > 1) {
    is_sum ? scan_columns<T, true>(from, to, rows, n, inner)
           : scan_columns<T, false>(from, to, rows, n, inner);
  } else {
    is_sum ? scan_rows<T, true>(from, to, rows, n) : scan_rows<T, false>(from, to, rows, n);
  }
}

bool scan_on_device(
    c10::ScalarType dtype, bool is_sum, const void* in, void* out, int64_t rows, int64_t n,
    int64_t inner) {
  const auto run = [&](auto zero) {
    run_scan<decltype(zero)>(is_sum, in, out, rows, n, inner);
    return true;
  };
  switch (dtype) {
    case c10::ScalarType::Bool:
      return run(bool());
    case c10::ScalarType::Byte:
    case c10::ScalarType::Char:
      return run(uint8_t());
    case c10::ScalarType::Short:
      return run(int16_t());
    case c10::ScalarType::Int:
      return run(int32_t());
    case c10::ScalarType::Long:
      return run(int64_t());
    case c10::ScalarType::Half:
      return run(c10::Half());
    case c10::ScalarType::BFloat16:
      return run(c10::BFloat16());
    case c10::ScalarType::Float:
      return run(float());
    case c10::ScalarType::Double:
      return run(double());
    case c10::ScalarType::ComplexFloat:
      return run(c10::complex<float>());
    case c10::ScalarType::ComplexDouble:
      return run(c10::complex<double>());
    default:
      return false;
  }
}

} // namespace

REGISTER_CUDA_DISPATCH(scan_stub, &scan_on_device)

} // namespace at::native
