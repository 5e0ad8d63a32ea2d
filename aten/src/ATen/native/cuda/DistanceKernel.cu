// cdist: distances between rows, and their gradients.

#include <ATen/Dispatch.h>
#include <ATen/native/Distance.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/block_reduce.cuh>

namespace at::native {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarpSize;

// A warp for each distance.
template <typename T, typename Norm>
__global__ void __launch_bounds__(kThreads)
    distance_kernel(DistanceSizes s, const T* a, const T* b, T* out, Norm norm) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int64_t total = s.batch * s.rows * s.others;
  int64_t at = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarpSize;
  for (; at < total; at += static_cast<int64_t>(gridDim.x) * kWarps) {
    const int64_t row = at / s.others, other = at % s.others;
    const T* x = a + row * s.width;
    const T* y = b + (row / s.rows * s.others + other) * s.width;
    T sum = 0;
    for (int64_t k = lane; k < s.width; k += kWarpSize) {
      sum = norm.add(sum, x[k] - y[k]);
    }
    sum = warp_reduce(sum, [norm](T left, T right) { return norm.combine(left, right); });
    if (lane == 0) out[at] = norm.finish(sum);
  }
}

template <typename T, typename Norm>
void distances(const DistanceSizes& s, const T* a, const T* b, T* out, const Norm& norm) {
  const int64_t total = s.batch * s.rows * s.others;
  const int64_t blocks = std::min<int64_t>(ceil_div(total, kWarps), INT32_MAX);
  launch_on_current_stream(
      distance_kernel<T, Norm>, static_cast<unsigned>(blocks), kThreads, 0, s, a, b, out, norm);
}

template <typename T, typename Norm>
void gradients(
    const DistanceSizes& s, const T* grad, const T* a, const T* b, const T* dist, T* out,
    const Norm& norm) {
  for_each_index(s.batch * s.rows * s.width, [=] C10_DEVICE(int64_t at) {
    const int64_t row = at / s.width, k = at % s.width;
    const T x = a[at];
    const T* y = b + row / s.rows * s.others * s.width + k;
    T sum = out[at];
    for (int64_t j = 0; j < s.others; ++j) {
      sum += grad[row * s.others + j] * norm.slope(x - y[j * s.width], dist[row * s.others + j]);
    }
    out[at] = sum;
  });
}

void distances_on_cuda(
    const DistanceSizes& sizes, double p, const Tensor& a, const Tensor& b, const Tensor& out) {
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "cdist_cuda", [&] {
    with_norm(p, [&](const auto& norm) {
      distances(
          sizes, a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
          out.mutable_data_ptr<scalar_t>(), norm);
    });
  });
}

void distance_gradients_on_cuda(
    const DistanceSizes& sizes, double p, const Tensor& grad, const Tensor& a, const Tensor& b,
    const Tensor& dist, const Tensor& out) {
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "cdist_backward_cuda", [&] {
    with_norm(p, [&](const auto& norm) {
      gradients(
          sizes, grad.const_data_ptr<scalar_t>(), a.const_data_ptr<scalar_t>(),
          b.const_data_ptr<scalar_t>(), dist.const_data_ptr<scalar_t>(),
          out.mutable_data_ptr<scalar_t>(), norm);
    });
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(distances_stub, &distances_on_cuda)
REGISTER_CUDA_DISPATCH(distance_gradients_stub, &distance_gradients_on_cuda)

} // namespace at::native
