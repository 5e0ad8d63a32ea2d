#include <ATen/native/cuda/SoftMaxTypes.cuh>

namespace at::native {
namespace {

// The term of the sum over a row: g y, or for log just g.
template <typename Real, bool log>
C10_DEVICE inline Real term(Real grad, Real y) {
  return log ? grad : grad * y;
}

template <typename Real, bool log>
C10_DEVICE inline Real gradient(Real grad, Real y, Real sum) {
  return log ? grad - std::exp(y) * sum : y * (grad - sum);
}

template <typename T, bool log, int kVector>
__global__ void backward_rows_kernel(
    const T* grad, const T* output, T* out, int64_t rows, int64_t n) {
  using Real = device_acc_t<T>;
  C10_DYNAMIC_SHARED(Real, shared);
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  const T* y_row = output + row * n;
  Real sum = 0;
  if (row < rows) {
    for_row<kVector>(grad + row * n, n, [&](int64_t i, const auto& g) {
      const auto y = load_pack<kVector>(y_row, i);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        sum += term<Real, log>(static_cast<Real>(g.values[k]), static_cast<Real>(y.values[k]));
      }
    });
  }
  sum = block_all_reduce_x(
      sum, [](Real a, Real b) { return a + b; }, shared);
  if (row >= rows) {
    return;
  }
  for_row<kVector>(grad + row * n, n, [&](int64_t i, const auto& g) {
    const auto y = load_pack<kVector>(y_row, i);
    detail::Packed<T, kVector> x;
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      x.values[k] = static_cast<T>(
          gradient<Real, log>(static_cast<Real>(g.values[k]), static_cast<Real>(y.values[k]), sum));
    }
    store_pack(out + row * n, i, x);
  });
}

template <typename T, bool log>
__global__ void backward_columns_kernel(
    const T* grad, const T* output, T* out, int64_t columns, int64_t n, int64_t inner) {
  using Real = device_acc_t<T>;
  C10_DYNAMIC_SHARED(Real, shared);
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t base = column / inner * n * inner + column % inner;
  Real sum = 0;
  if (column < columns) {
    for (int64_t k = threadIdx.y; k < n; k += blockDim.y) {
      const int64_t at = base + k * inner;
      sum += term<Real, log>(static_cast<Real>(grad[at]), static_cast<Real>(output[at]));
    }
  }
  sum = block_reduce_y(
      sum, [](Real a, Real b) { return a + b; }, shared);
  if (blockDim.y > 1) {
    if (threadIdx.y == 0) shared[threadIdx.x] = sum;
    __syncthreads();
    sum = shared[threadIdx.x];
  }
  if (column >= columns) {
    return;
  }
  for (int64_t k = threadIdx.y; k < n; k += blockDim.y) {
    const int64_t at = base + k * inner;
    out[at] = static_cast<T>(
        gradient<Real, log>(static_cast<Real>(grad[at]), static_cast<Real>(output[at]), sum));
  }
}

template <typename T, bool log>
void run_backward(
    const void* grad, const void* output, void* out, int64_t outer, int64_t n, int64_t inner) {
  using Real = device_acc_t<T>;
  const auto* g = static_cast<const T*>(grad);
  const auto* y = static_cast<const T*>(output);
  auto* x = static_cast<T*>(out);
  if (inner == 1) {
    const int width = vector_width<T>(n, g, y, x);
    const RowGrid grid = row_grid(outer, n / width);
    const auto kernel = width > 1 ? backward_rows_kernel<T, log, static_cast<int>(16 / sizeof(T))>
                                  : backward_rows_kernel<T, log, 1>;
    const size_t shared = static_cast<size_t>(grid.threads()) * sizeof(Real);
    launch_on_current_stream(kernel, grid.grid, grid.block, shared, g, y, x, outer, n);
  } else {
    const RowGrid grid = column_grid(outer * inner, n);
    const size_t shared = static_cast<size_t>(grid.threads()) * sizeof(Real);
    launch_on_current_stream(
        backward_columns_kernel<T, log>, grid.grid, grid.block, shared, g, y, x, outer * inner, n,
        inner);
  }
}

template <typename T>
struct SoftMaxBackward {
  static void run(
      const void* grad, const void* output, void* out, int64_t outer, int64_t n, int64_t inner,
      bool log) {
    log ? run_backward<T, true>(grad, output, out, outer, n, inner)
        : run_backward<T, false>(grad, output, out, outer, n, inner);
  }
};

bool softmax_backward_on_device(
    c10::ScalarType dtype, const void* grad, const void* output, void* out, int64_t outer,
    int64_t n, int64_t inner, bool log) {
  return for_floating_dtype<SoftMaxBackward>(dtype, grad, output, out, outer, n, inner, log);
}

} // namespace

REGISTER_CUDA_DISPATCH(softmax_backward_stub, &softmax_backward_on_device)

} // namespace at::native
