#include <ATen/native/NormKernels.h>
#include <ATen/native/cuda/SoftMaxTypes.cuh>
#include <ATen/native/cuda/Welford.cuh>

namespace at::native {
namespace {

// Layer norm, or with is_rms the norm that does not subtract the mean.
template <typename T, bool is_rms, int kVector>
__global__ void row_norm_kernel(
    const T* in, const device_acc_t<T>* weight, const device_acc_t<T>* bias, T* out,
    device_acc_t<T>* means, device_acc_t<T>* rstds, int64_t rows, int64_t n, device_acc_t<T> eps) {
  using Real = device_acc_t<T>;
  using Group = Moments<Real>;
  C10_DYNAMIC_SHARED(Group, shared);
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  const T* x_row = in + row * n;
  Group moments;
  if (row < rows) {
    for_row<kVector>(x_row, n, [&](int64_t, const auto& pack) {
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        const Real x = static_cast<Real>(pack.values[k]);
        if constexpr (is_rms) {
          moments.deviations += x * x;
        } else {
          moments.add(x);
        }
      }
    });
  }
  moments = block_all_reduce_x(
      moments,
      [](Group a, const Group& b) {
        if constexpr (is_rms) {
          a.deviations += b.deviations;
        } else {
          a.add(b);
        }
        return a;
      },
      shared);
  if (row >= rows) {
    return;
  }
  const Real mean = is_rms ? Real(0) : moments.mean;
  const Real rstd = Real(1) / std::sqrt(moments.deviations / static_cast<Real>(n) + eps);
  if (threadIdx.x == 0) {
    if (means != nullptr) means[row] = mean;
    rstds[row] = rstd;
  }
  for_row<kVector>(x_row, n, [&](int64_t i, const auto& pack) {
    detail::Packed<T, kVector> y;
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      Real value = (static_cast<Real>(pack.values[k]) - mean) * rstd;
      if (weight != nullptr) value *= weight[i + k];
      if (bias != nullptr) value += bias[i + k];
      y.values[k] = static_cast<T>(value);
    }
    store_pack(out + row * n, i, y);
  });
}

template <typename T, bool is_rms>
void run_norm(const RowNormJob& job) {
  using Real = device_acc_t<T>;
  if (job.rows == 0) {
    return;
  }
  const auto* in = static_cast<const T*>(job.in);
  auto* out = static_cast<T*>(job.out);
  const int width = vector_width<T>(job.n, in, out);
  const RowGrid grid = row_grid(job.rows, job.n / width);
  const auto kernel = width > 1 ? row_norm_kernel<T, is_rms, static_cast<int>(16 / sizeof(T))>
                                : row_norm_kernel<T, is_rms, 1>;
  const size_t shared = static_cast<size_t>(grid.threads()) * sizeof(Moments<Real>);
  launch_on_current_stream(
      kernel, grid.grid, grid.block, shared, in, static_cast<const Real*>(job.weight),
      static_cast<const Real*>(job.bias), out, static_cast<Real*>(job.mean),
      static_cast<Real*>(job.rstd), job.rows, job.n, static_cast<Real>(job.eps));
}

template <typename T>
struct LayerNorm {
  static void run(const RowNormJob& job) { run_norm<T, false>(job); }
};
template <typename T>
struct RmsNorm {
  static void run(const RowNormJob& job) { run_norm<T, true>(job); }
};

bool layer_norm_on_device(c10::ScalarType dtype, const RowNormJob& job) {
  return for_floating_dtype<LayerNorm>(dtype, job);
}
bool rms_norm_on_device(c10::ScalarType dtype, const RowNormJob& job) {
  return for_floating_dtype<RmsNorm>(dtype, job);
}

} // namespace

REGISTER_CUDA_DISPATCH(layer_norm_stub, &layer_norm_on_device)
REGISTER_CUDA_DISPATCH(rms_norm_stub, &rms_norm_on_device)

} // namespace at::native
