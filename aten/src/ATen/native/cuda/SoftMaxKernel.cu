#include <ATen/native/cuda/SoftMaxTypes.cuh>

namespace at::native {
namespace {

template <typename Real, bool log>
C10_DEVICE inline Real normalized(Real x, Real max, Real scale) {
  return log ? x - max - scale : std::exp(x - max) * scale;
}

// What normalized() takes: the logarithm of the sum, or its reciprocal.
template <typename Real, bool log>
C10_DEVICE inline Real scale_of(Real sum) {
  return log ? std::log(sum) : Real(1) / sum;
}

template <typename T, bool log, int kVector>
__global__ void softmax_rows_kernel(const T* in, T* out, int64_t rows, int64_t n) {
  using Real = device_acc_t<T>;
  using Sum = OnlineSum<Real>;
  C10_DYNAMIC_SHARED(Sum, shared);
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  Sum sum;
  if (row < rows) {
    for_row<kVector>(in + row * n, n, [&](int64_t, const auto& pack) {
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        sum.add(static_cast<Real>(pack.values[k]));
      }
    });
  }
  sum = block_all_reduce_x(
      sum, [](const Sum& a, const Sum& b) { return Sum::combine(a, b); }, shared);
  if (row >= rows) {
    return;
  }
  const Real scale = scale_of<Real, log>(sum.sum);
  for_row<kVector>(in + row * n, n, [&](int64_t i, const auto& pack) {
    detail::Packed<T, kVector> y;
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      y.values[k] =
          static_cast<T>(normalized<Real, log>(static_cast<Real>(pack.values[k]), sum.max, scale));
    }
    store_pack(out + row * n, i, y);
  });
}

template <typename T, bool log>
__global__ void softmax_columns_kernel(
    const T* in, T* out, int64_t columns, int64_t n, int64_t inner) {
  using Real = device_acc_t<T>;
  using Sum = OnlineSum<Real>;
  C10_DYNAMIC_SHARED(Sum, shared);
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t base = column / inner * n * inner + column % inner;
  Sum sum;
  if (column < columns) {
    for (int64_t k = threadIdx.y; k < n; k += blockDim.y) {
      sum.add(static_cast<Real>(in[base + k * inner]));
    }
  }
  sum = block_reduce_y(
      sum, [](const Sum& a, const Sum& b) { return Sum::combine(a, b); }, shared);
  if (blockDim.y > 1) {
    if (threadIdx.y == 0) shared[threadIdx.x] = sum;
    __syncthreads();
    sum = shared[threadIdx.x];
  }
  if (column >= columns) {
    return;
  }
  const Real scale = scale_of<Real, log>(sum.sum);
  for (int64_t k = threadIdx.y; k < n; k += blockDim.y) {
    const int64_t at = base + k * inner;
    out[at] = static_cast<T>(normalized<Real, log>(static_cast<Real>(in[at]), sum.max, scale));
  }
}

template <typename T, bool log>
void run_softmax(const void* in, void* out, int64_t outer, int64_t n, int64_t inner) {
  using Sum = OnlineSum<device_acc_t<T>>;
  const auto* x = static_cast<const T*>(in);
  auto* y = static_cast<T*>(out);
  if (inner == 1) {
    const int width = vector_width<T>(n, x, y);
    const RowGrid grid = row_grid(outer, n / width);
    const auto kernel = width > 1 ? softmax_rows_kernel<T, log, static_cast<int>(16 / sizeof(T))>
                                  : softmax_rows_kernel<T, log, 1>;
    const size_t shared = static_cast<size_t>(grid.threads()) * sizeof(Sum);
    launch_on_current_stream(kernel, grid.grid, grid.block, shared, x, y, outer, n);
  } else {
    const RowGrid grid = column_grid(outer * inner, n);
    const size_t shared = static_cast<size_t>(grid.threads()) * sizeof(Sum);
    launch_on_current_stream(
        softmax_columns_kernel<T, log>, grid.grid, grid.block, shared, x, y, outer * inner, n,
        inner);
  }
}

template <typename T>
struct SoftMax {
  static void run(const void* in, void* out, int64_t outer, int64_t n, int64_t inner, bool log) {
    log ? run_softmax<T, true>(in, out, outer, n, inner)
        : run_softmax<T, false>(in, out, outer, n, inner);
  }
};

bool softmax_on_device(
    c10::ScalarType dtype, const void* in, void* out, int64_t outer, int64_t n, int64_t inner,
    bool log) {
  return for_floating_dtype<SoftMax>(dtype, in, out, outer, n, inner, log);
}

} // namespace

REGISTER_CUDA_DISPATCH(softmax_stub, &softmax_on_device)

} // namespace at::native
