// grid_sample; see native/GridSample.h. A thread computes one point in all channels.

#include <ATen/native/GridSample.h>

#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/GridTaps.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>

namespace at::native {
namespace {

template <typename T>
void sample(const GridSampling& sampling, const T* in, const T* grid, T* out) {
  const GridSampling s = sampling;
  for_each_index(s.batch * s.points, [=] C10_DEVICE(int64_t i) {
    const auto axes = grid_points::axes_at(s, grid + i * s.dims);
    const int64_t image = i / s.points, size = s.in_size();
    const T* plane = in + image * s.channels * size;
    T* to = out + image * s.channels * s.points + i % s.points;
    for (int64_t c = 0; c < s.channels; ++c, plane += size, to += s.points) {
      T sum = 0;
      grid_points::for_each_tap(s, axes, [&](int64_t at, int x, int y, int z) {
        sum += axes[0].weight[x] * axes[1].weight[y] * axes[2].weight[z] * plane[at];
      });
      *to = sum;
    }
  });
}

// Points add to the same elements, in any order.
template <typename T>
void sample_backward(
    const GridSampling& sampling, const T* grad, const T* in, const T* grid, T* grad_in,
    T* grad_grid) {
  const GridSampling s = sampling;
  for_each_index(s.batch * s.points, [=] C10_DEVICE(int64_t i) {
    const auto axes = grid_points::axes_at(s, grid + i * s.dims);
    const int64_t start = i / s.points * s.channels, size = s.in_size();
    const T* from = grad + start * s.points + i % s.points;
    T slope[3] = {0, 0, 0};
    grid_points::for_each_tap(s, axes, [&](int64_t at, int x, int y, int z) {
      const T wx = axes[0].weight[x], wy = axes[1].weight[y], wz = axes[2].weight[z];
      T dot = 0;
      for (int64_t c = 0; c < s.channels; ++c) {
        const int64_t place = (start + c) * size + at;
        dot += from[c * s.points] * in[place];
        if (grad_in != nullptr) {
          gpuAtomicAdd(grad_in + place, from[c * s.points] * wx * wy * wz);
        }
      }
      slope[0] += dot * axes[0].by[x] * wy * wz;
      slope[1] += dot * wx * axes[1].by[y] * wz;
      slope[2] += dot * wx * wy * axes[2].by[z];
    });
    if (grad_grid != nullptr) {
      for (int64_t d = 0; d < s.dims; ++d) {
        grad_grid[i * s.dims + d] = slope[d];
      }
    }
  });
}

void sample_on_device(const GridSampling& s, const void* in, const void* grid, void* out) {
  const auto run = [&]<typename T>(T) {
    sample(s, static_cast<const T*>(in), static_cast<const T*>(grid), static_cast<T*>(out));
  };
  s.is_double ? run(double()) : run(float());
}

void sample_backward_on_device(
    const GridSampling& s, const void* grad, const void* in, const void* grid, void* grad_in,
    void* grad_grid) {
  const auto run = [&]<typename T>(T) {
    sample_backward(
        s, static_cast<const T*>(grad), static_cast<const T*>(in), static_cast<const T*>(grid),
        static_cast<T*>(grad_in), static_cast<T*>(grad_grid));
  };
  s.is_double ? run(double()) : run(float());
}

} // namespace

REGISTER_CUDA_DISPATCH(grid_sample_stub, &sample_on_device)
REGISTER_CUDA_DISPATCH(grid_sample_backward_stub, &sample_backward_on_device)

} // namespace at::native
