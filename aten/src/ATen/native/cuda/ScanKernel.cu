#include <ATen/native/ScanStub.h>
#include <ATen/native/cuda/ReduceTypes.cuh>
#include <ATen/native/ufunc/logaddexp.h>

namespace at::native {
namespace {

constexpr int kScanThreads = 128;
constexpr int kScanItems = 4; // adjacent elements of a thread

// Integers wrap around in their own width, as on the CPU.
template <typename T>
using scan_acc_t = std::conditional_t<
    std::is_same_v<T, bool>, int64_t,
    std::conditional_t<std::is_integral_v<T>, T, device_acc_t<T>>>;

// A scan has acc_t, what it carries; load, the element at an address that has an index in its row;
// join, which is associative; and store.
template <typename T, Scan scan>
struct NumberScan {
  using acc_t = scan_acc_t<T>;

  const T* in;
  T* out;

  C10_DEVICE acc_t identity() const {
    if constexpr (scan == Scan::LogSumExp) {
      return acc_t(-std::numeric_limits<typename c10::scalar_value_type<acc_t>::type>::infinity());
    } else {
      return acc_t(scan == Scan::Sum ? 0 : 1);
    }
  }
  C10_DEVICE acc_t load(int64_t at, int64_t) const { return static_cast<acc_t>(in[at]); }
  C10_DEVICE acc_t join(acc_t a, acc_t b) const {
    if constexpr (scan == Scan::Sum) {
      return static_cast<acc_t>(a + b);
    } else if constexpr (scan == Scan::Product) {
      return static_cast<acc_t>(a * b);
    } else {
      return ufunc::logaddexp(a, b);
    }
  }
  C10_DEVICE void store(int64_t at, acc_t value) const { out[at] = static_cast<T>(value); }
};

template <typename T>
struct RunningExtreme {
  T value;
  int64_t index; // negative before the first element
};

template <typename T, bool is_max>
struct ExtremeScan {
  using acc_t = RunningExtreme<device_order_t<T>>;

  const T* in;
  T* values;
  int64_t* indices;

  C10_DEVICE acc_t identity() const { return {device_order_t<T>(0), -1}; }
  C10_DEVICE acc_t load(int64_t at, int64_t index) const {
    return {static_cast<device_order_t<T>>(in[at]), index};
  }
  C10_DEVICE acc_t join(const acc_t& a, const acc_t& b) const {
    if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
    const bool replaces = is_max ? b.value >= a.value : b.value <= a.value;
    return replaces || b.value != b.value ? b : a;
  }
  C10_DEVICE void store(int64_t at, const acc_t& extreme) const {
    values[at] = static_cast<T>(extreme.value);
    indices[at] = extreme.index;
  }
};

// Scans a chunk of a row, tile by tile. With `sums`, stores only the chunk's total there; else
// joins the total of the chunks before it, which `before` has if there are several.
template <typename Scanner>
__global__ void scan_rows_kernel(
    Scanner scan, int64_t n, int64_t chunk, typename Scanner::acc_t* sums,
    const typename Scanner::acc_t* before) {
  using Acc = typename Scanner::acc_t;
  C10_DYNAMIC_SHARED(Acc, shared); // one per warp, and the carry
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  const int64_t row = blockIdx.x;
  const int64_t chunks = gridDim.y;
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * chunk;
  const int64_t end = begin + chunk < n ? begin + chunk : n;
  Acc carry = scan.identity();
  if (before != nullptr && blockIdx.y > 0) carry = before[row * chunks + blockIdx.y - 1];
  const int64_t tile = static_cast<int64_t>(blockDim.x) * kScanItems;
  for (int64_t start = begin; start < end; start += tile) {
    const int64_t first = start + static_cast<int64_t>(threadIdx.x) * kScanItems;
    Acc items[kScanItems];
    Acc total = scan.identity();
#pragma unroll
    for (int k = 0; k < kScanItems; ++k) {
      const Acc x = first + k < end ? scan.load(row * n + first + k, first + k) : scan.identity();
      total = k == 0 ? x : scan.join(total, x);
      items[k] = total;
    }
    const Acc inclusive = block_inclusive_scan(
        total, [&](const Acc& a, const Acc& b) { return scan.join(a, b); }, shared);
    // What precedes the thread within the tile, from the lane or warp before it.
    Acc preceding = warp_shuffle_up(inclusive, 1);
    if (threadIdx.x % kWarpSize == kWarpSize - 1) shared[threadIdx.x / kWarpSize] = inclusive;
    __syncthreads();
    if (threadIdx.x % kWarpSize == 0 && threadIdx.x > 0) {
      preceding = shared[threadIdx.x / kWarpSize - 1];
    }
    const Acc tile_total = shared[warps - 1];
    __syncthreads();
    const Acc base = threadIdx.x == 0 ? carry : scan.join(carry, preceding);
    if (sums == nullptr) {
#pragma unroll
      for (int k = 0; k < kScanItems; ++k) {
        if (first + k < end) scan.store(row * n + first + k, scan.join(base, items[k]));
      }
    }
    carry = scan.join(carry, tile_total);
  }
  if (sums != nullptr && threadIdx.x == 0) sums[row * chunks + blockIdx.y] = carry;
}

// Turns the totals of the chunks into running totals.
template <typename Scanner>
void scan_totals(
    const Scanner& scan, typename Scanner::acc_t* totals, int64_t rows, int64_t chunks) {
  for_each_index(rows, [=] C10_DEVICE(int64_t row) {
    auto carry = totals[row * chunks];
    for (int64_t c = 1; c < chunks; ++c) {
      carry = scan.join(carry, totals[row * chunks + c]);
      totals[row * chunks + c] = carry;
    }
  });
}

template <typename Scanner>
void scan_columns(const Scanner& scan, int64_t rows, int64_t n, int64_t inner) {
  for_each_index(rows * inner, [=] C10_DEVICE(int64_t column) {
    const int64_t base = column / inner * n * inner + column % inner;
    auto carry = scan.identity();
    for (int64_t k = 0; k < n; ++k) {
      carry = scan.join(carry, scan.load(base + k * inner, k));
      scan.store(base + k * inner, carry);
    }
  });
}

template <typename Scanner>
void scan_rows(const Scanner& scan, int64_t rows, int64_t n) {
  using Acc = typename Scanner::acc_t;
  const int64_t threads =
      std::clamp<int64_t>(ceil_div(ceil_div(n, kScanItems), 32) * 32, 32, kScanThreads);
  const int64_t tile = threads * kScanItems;
  const int64_t wanted = ceil_div(resident_blocks(threads), rows);
  const int64_t chunks = std::clamp<int64_t>(std::min(wanted, n / (tile * 4)), 1, 1024);
  const int64_t chunk = ceil_div(ceil_div(n, chunks), tile) * tile;
  const dim3 grid(static_cast<unsigned>(rows), static_cast<unsigned>(ceil_div(n, chunk)));
  const auto block = static_cast<unsigned>(threads);
  const size_t shared = static_cast<size_t>(threads / 32 + 1) * sizeof(Acc);
  const auto kernel = scan_rows_kernel<Scanner>;
  Acc* const none = nullptr;
  if (grid.y == 1) {
    launch_on_current_stream(kernel, grid, block, shared, scan, n, chunk, none, none);
    return;
  }
  const size_t bytes = static_cast<size_t>(rows) * grid.y * sizeof(Acc);
  const c10::DataPtr scratch = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
  auto* totals = static_cast<Acc*>(scratch.get());
  launch_on_current_stream(kernel, grid, block, shared, scan, n, chunk, totals, none);
  scan_totals(scan, totals, rows, grid.y);
  launch_on_current_stream(kernel, grid, block, shared, scan, n, chunk, none, totals);
}

template <typename Scanner>
void run(const Scanner& scan, int64_t rows, int64_t n, int64_t inner) {
  if (rows * n * inner == 0) {
    return;
  }
  inner > 1 ? scan_columns(scan, rows, n, inner) : scan_rows(scan, rows, n);
}

// Calls a function with a zero of the dtype; returns whether there is one among the floating types.
template <typename Function>
bool with_floats(c10::ScalarType dtype, const Function& function) {
  switch (dtype) {
    case c10::ScalarType::Half:
      return function(c10::Half());
    case c10::ScalarType::BFloat16:
      return function(c10::BFloat16());
    case c10::ScalarType::Float:
      return function(float());
    case c10::ScalarType::Double:
      return function(double());
    default:
      return false;
  }
}

template <typename Function>
bool with_complex(c10::ScalarType dtype, const Function& function) {
  switch (dtype) {
    case c10::ScalarType::ComplexFloat:
      return function(c10::complex<float>());
    case c10::ScalarType::ComplexDouble:
      return function(c10::complex<double>());
    default:
      return false;
  }
}

template <typename Function>
bool with_integers(c10::ScalarType dtype, const Function& function) {
  switch (dtype) {
    case c10::ScalarType::Bool:
      return function(bool());
    case c10::ScalarType::Byte:
      return function(uint8_t());
    case c10::ScalarType::Char:
      return function(int8_t());
    case c10::ScalarType::Short:
      return function(int16_t());
    case c10::ScalarType::Int:
      return function(int32_t());
    case c10::ScalarType::Long:
      return function(int64_t());
    default:
      return false;
  }
}

bool scan_on_device(
    c10::ScalarType dtype, Scan scan, const void* in, void* out, int64_t rows, int64_t n,
    int64_t inner) {
  const auto run_as = [&]<Scan kind>(auto zero) {
    using T = decltype(zero);
    run(NumberScan<T, kind>{static_cast<const T*>(in), static_cast<T*>(out)}, rows, n, inner);
    return true;
  };
  const auto sum = [&](auto zero) { return run_as.template operator()<Scan::Sum>(zero); };
  const auto product = [&](auto zero) { return run_as.template operator()<Scan::Product>(zero); };
  const auto log_sum = [&](auto zero) { return run_as.template operator()<Scan::LogSumExp>(zero); };
  const auto with_all = [&](const auto& function) {
    return with_floats(dtype, function) || with_complex(dtype, function) ||
        with_integers(dtype, function);
  };
  switch (scan) {
    case Scan::Sum:
      return with_all(sum);
    case Scan::Product:
      return with_all(product);
    case Scan::LogSumExp:
      return with_floats(dtype, log_sum) || with_complex(dtype, log_sum);
  }
  return false;
}

bool scan_extremes_on_device(
    c10::ScalarType dtype, bool is_max, const void* in, void* values, int64_t* indices,
    int64_t rows, int64_t n, int64_t inner) {
  const auto run_as = [&](auto zero) {
    using T = decltype(zero);
    const auto* from = static_cast<const T*>(in);
    auto* to = static_cast<T*>(values);
    if (is_max) {
      run(ExtremeScan<T, true>{from, to, indices}, rows, n, inner);
    } else {
      run(ExtremeScan<T, false>{from, to, indices}, rows, n, inner);
    }
    return true;
  };
  return with_floats(dtype, run_as) || with_integers(dtype, run_as);
}

} // namespace

REGISTER_CUDA_DISPATCH(scan_stub, &scan_on_device)
REGISTER_CUDA_DISPATCH(extreme_scan_stub, &scan_extremes_on_device)

} // namespace at::native
