#include <ATen/native/NormKernels.h>
#include <ATen/native/cuda/SoftMaxTypes.cuh>

namespace at::native {
namespace {

// With z = (x - mean) * rstd and g = grad * weight, for a row with n elements:
//   grad_in = rstd * (g - sum(g) / n - z * sum(g * z) / n), without the second term for an RMS
//   norm; grad_weight = sum(grad * z) and grad_bias = sum(grad) over the rows.

template <typename Real>
struct TwoSums {
  Real a = 0;
  Real b = 0;
  C10_DEVICE static TwoSums combine(const TwoSums& x, const TwoSums& y) {
    TwoSums sum;
    sum.a = x.a + y.a;
    sum.b = x.b + y.b;
    return sum;
  }
};

template <typename T, int kVector>
__global__ void grad_in_kernel(
    const T* grad, const T* in, const device_acc_t<T>* weight, const device_acc_t<T>* means,
    const device_acc_t<T>* rstds, T* out, int64_t rows, int64_t n) {
  using Real = device_acc_t<T>;
  using Sums = TwoSums<Real>;
  C10_DYNAMIC_SHARED(Sums, shared);
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  const T* x_row = in + row * n;
  Sums sums;
  Real mean = 0, rstd = 0;
  if (row < rows) {
    mean = means != nullptr ? means[row] : Real(0);
    rstd = rstds[row];
    for_row<kVector>(grad + row * n, n, [&](int64_t i, const auto& pack) {
      const auto x = load_pack<kVector>(x_row, i);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        const Real g =
            static_cast<Real>(pack.values[k]) * (weight != nullptr ? weight[i + k] : Real(1));
        sums.a += g;
        sums.b += g * (static_cast<Real>(x.values[k]) - mean) * rstd;
      }
    });
  }
  sums = block_all_reduce_x(
      sums, [](const Sums& a, const Sums& b) { return Sums::combine(a, b); }, shared);
  if (row >= rows) {
    return;
  }
  const Real a = means != nullptr ? sums.a / static_cast<Real>(n) : Real(0);
  const Real b = sums.b / static_cast<Real>(n);
  for_row<kVector>(grad + row * n, n, [&](int64_t i, const auto& pack) {
    const auto x = load_pack<kVector>(x_row, i);
    detail::Packed<T, kVector> result;
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      const Real g =
          static_cast<Real>(pack.values[k]) * (weight != nullptr ? weight[i + k] : Real(1));
      const Real z = (static_cast<Real>(x.values[k]) - mean) * rstd;
      result.values[k] = static_cast<T>(rstd * (g - a - z * b));
    }
    store_pack(out + row * n, i, result);
  });
}

// Sums over the rows of a chunk, blockIdx.y; `of_weight` and `of_bias` are [chunks, n] or null.
template <typename T>
__global__ void grad_parameters_kernel(
    const T* grad, const T* in, const device_acc_t<T>* means, const device_acc_t<T>* rstds,
    device_acc_t<T>* of_weight, device_acc_t<T>* of_bias, int64_t rows, int64_t n, int64_t chunk) {
  using Real = device_acc_t<T>;
  using Sums = TwoSums<Real>;
  C10_DYNAMIC_SHARED(Sums, shared);
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * chunk;
  const int64_t end = begin + chunk < rows ? begin + chunk : rows;
  Sums sums;
  if (column < n) {
    for (int64_t row = begin + threadIdx.y; row < end; row += blockDim.y) {
      const Real g = static_cast<Real>(grad[row * n + column]);
      const Real mean = means != nullptr ? means[row] : Real(0);
      sums.a += g;
      sums.b += g * (static_cast<Real>(in[row * n + column]) - mean) * rstds[row];
    }
  }
  sums = block_reduce_y(
      sums, [](const Sums& a, const Sums& b) { return Sums::combine(a, b); }, shared);
  if (column < n && threadIdx.y == 0) {
    const int64_t at = static_cast<int64_t>(blockIdx.y) * n + column;
    if (of_weight != nullptr) of_weight[at] = sums.b;
    if (of_bias != nullptr) of_bias[at] = sums.a;
  }
}

template <typename Real>
void sum_chunks(const Real* chunks, int64_t count, int64_t n, Real* out) {
  for_each_index(n, [=] C10_DEVICE(int64_t i) {
    Real sum = 0;
    for (int64_t c = 0; c < count; ++c) {
      sum += chunks[c * n + i];
    }
    out[i] = sum;
  });
}

template <typename T>
struct RowNormBackward {
  using Real = device_acc_t<T>;

  static void parameters(const RowNormBackwardJob& job) {
    auto* of_weight = static_cast<Real*>(job.grad_weight);
    auto* of_bias = static_cast<Real*>(job.grad_bias);
    const int64_t columns = std::min<int64_t>(32, ceil_pow2(job.n));
    const int64_t lanes = std::max(std::min<int64_t>(8, ceil_pow2(job.rows)), 32 / columns);
    const int64_t blocks = ceil_div(job.n, columns);
    const int64_t wanted = ceil_div(resident_blocks(256), blocks);
    const int64_t chunks = std::clamp<int64_t>(std::min(wanted, job.rows / (lanes * 16)), 1, 1024);
    const int64_t chunk = ceil_div(job.rows, chunks);
    c10::DataPtr scratch;
    Real* partial = nullptr;
    const int64_t part = chunks * job.n;
    if (chunks > 1) {
      scratch = c10::cuda::CUDACachingAllocator::get()->allocate(
          static_cast<size_t>(2 * part) * sizeof(Real));
      partial = static_cast<Real*>(scratch.get());
    }
    const auto target = [&](Real* out, int64_t at) {
      return out == nullptr || partial == nullptr ? out : partial + at;
    };
    launch_on_current_stream(
        grad_parameters_kernel<T>,
        dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(chunks)),
        dim3(static_cast<unsigned>(columns), static_cast<unsigned>(lanes)),
        static_cast<size_t>(columns * lanes) * sizeof(TwoSums<Real>),
        static_cast<const T*>(job.grad), static_cast<const T*>(job.in),
        static_cast<const Real*>(job.mean), static_cast<const Real*>(job.rstd),
        target(of_weight, 0), target(of_bias, part), job.rows, job.n, chunk);
    if (partial != nullptr && of_weight != nullptr) {
      sum_chunks<Real>(partial, chunks, job.n, of_weight);
    }
    if (partial != nullptr && of_bias != nullptr) {
      sum_chunks<Real>(partial + part, chunks, job.n, of_bias);
    }
  }

  static void run(const RowNormBackwardJob& job) {
    if (job.rows == 0 || job.n == 0) {
      return;
    }
    if (job.grad_in != nullptr) {
      const auto* grad = static_cast<const T*>(job.grad);
      const auto* in = static_cast<const T*>(job.in);
      auto* out = static_cast<T*>(job.grad_in);
      const int width = vector_width<T>(job.n, grad, in, out);
      const RowGrid grid = row_grid(job.rows, job.n / width);
      const auto kernel =
          width > 1 ? grad_in_kernel<T, static_cast<int>(16 / sizeof(T))> : grad_in_kernel<T, 1>;
      const size_t shared = static_cast<size_t>(grid.threads()) * sizeof(TwoSums<Real>);
      launch_on_current_stream(
          kernel, grid.grid, grid.block, shared, grad, in, static_cast<const Real*>(job.weight),
          static_cast<const Real*>(job.mean), static_cast<const Real*>(job.rstd), out, job.rows,
          job.n);
    }
    if (job.grad_weight != nullptr || job.grad_bias != nullptr) {
      parameters(job);
    }
  }
};

bool row_norm_backward_on_device(c10::ScalarType dtype, const RowNormBackwardJob& job) {
  return for_floating_dtype<RowNormBackward>(dtype, job);
}

} // namespace

REGISTER_CUDA_DISPATCH(row_norm_backward_stub, &row_norm_backward_on_device)

} // namespace at::native
