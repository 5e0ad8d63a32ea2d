// Pooling over boxes, with fixed, adaptive or fractional windows; see native/Pool3d.h. A thread
// computes one element.

#include <ATen/native/Pool3d.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/LaunchUtils.cuh>

#include <limits>

namespace at::native {
namespace {

// Where an element lies in [plane][d][h][w].
struct Volume {
  int64_t d, h, w;

  struct Place {
    int64_t plane, d, h, w;
  };
  C10_DEVICE Place place(int64_t i) const {
    Place p;
    p.w = i % w;
    i /= w;
    p.h = i % h;
    i /= h;
    p.d = i % d;
    p.plane = i / d;
    return p;
  }
  C10_HOST_DEVICE int64_t size() const { return d * h * w; }
};

Volume volume(const Triple& sizes) {
  return {sizes[0], sizes[1], sizes[2]};
}

struct Axes {
  PoolAxis d, h, w;

  explicit Axes(const PoolBoxes& boxes) : d(boxes.axes[0]), h(boxes.axes[1]), w(boxes.axes[2]) {}
  C10_DEVICE int64_t divisor(int64_t i, int64_t j, int64_t k) const {
    return d.divisor(i) * h.divisor(j) * w.divisor(k);
  }
};

template <typename T>
void find_maxima(const PoolBoxes& boxes, const T* in, T* out, int64_t* indices) {
  const Volume in_shape = volume(boxes.in), out_shape = volume(boxes.out);
  const Axes axes(boxes);
  for_each_index(boxes.planes * out_shape.size(), [=] C10_DEVICE(int64_t i) {
    const auto p = out_shape.place(i);
    const T* plane = in + p.plane * in_shape.size();
    const PoolWindow depth = axes.d.window(p.d), row = axes.h.window(p.h);
    const PoolWindow column = axes.w.window(p.w);
    int64_t best = -1;
    T value = std::numeric_limits<T>::lowest();
    for (int64_t d = depth.begin; d < depth.end; d += axes.d.dilation) {
      for (int64_t h = row.begin; h < row.end; h += axes.h.dilation) {
        for (int64_t w = column.begin; w < column.end; w += axes.w.dilation) {
          const int64_t at = (d * in_shape.h + h) * in_shape.w + w;
          const T x = plane[at];
          // The first NaN wins over every number.
          if (best < 0 || x > value || (x != x && value == value)) {
            best = at;
            value = x;
          }
        }
      }
    }
    out[i] = value;
    indices[i] = best < 0 ? 0 : best;
  });
}

template <typename T>
void average(const PoolBoxes& boxes, const T* in, T* out) {
  const Volume in_shape = volume(boxes.in), out_shape = volume(boxes.out);
  const Axes axes(boxes);
  for_each_index(boxes.planes * out_shape.size(), [=] C10_DEVICE(int64_t i) {
    const auto p = out_shape.place(i);
    const T* plane = in + p.plane * in_shape.size();
    const PoolWindow depth = axes.d.window(p.d), row = axes.h.window(p.h);
    const PoolWindow column = axes.w.window(p.w);
    T sum = 0;
    for (int64_t d = depth.begin; d < depth.end; ++d) {
      for (int64_t h = row.begin; h < row.end; ++h) {
        for (int64_t w = column.begin; w < column.end; ++w) {
          sum += plane[(d * in_shape.h + h) * in_shape.w + w];
        }
      }
    }
    out[i] = sum / static_cast<T>(axes.divisor(p.d, p.h, p.w));
  });
}

// Every input element sums the shares of the boxes that cover it.
template <typename T>
void spread(const PoolBoxes& boxes, const T* grad, T* grad_in) {
  const Volume in_shape = volume(boxes.in), out_shape = volume(boxes.out);
  const Axes axes(boxes);
  for_each_index(boxes.planes * in_shape.size(), [=] C10_DEVICE(int64_t i) {
    const auto p = in_shape.place(i);
    const T* plane = grad + p.plane * out_shape.size();
    const PoolWindow depth = axes.d.covering(p.d), row = axes.h.covering(p.h);
    const PoolWindow column = axes.w.covering(p.w);
    T sum = 0;
    for (int64_t d = depth.begin; d < depth.end; ++d) {
      for (int64_t h = row.begin; h < row.end; ++h) {
        for (int64_t w = column.begin; w < column.end; ++w) {
          const T share = plane[(d * out_shape.h + h) * out_shape.w + w];
          sum += share / static_cast<T>(axes.divisor(d, h, w));
        }
      }
    }
    grad_in[i] = sum;
  });
}

void max_pool3d_on_device(
    ScalarType dtype, const PoolBoxes& boxes, const void* in, void* out, int64_t* indices) {
  AT_DISPATCH_FLOATING_TYPES_AND(kLong, dtype, "max_pool3d", [&] {
    find_maxima(boxes, static_cast<const scalar_t*>(in), static_cast<scalar_t*>(out), indices);
  });
}

void avg_pool3d_on_device(ScalarType dtype, const PoolBoxes& boxes, const void* in, void* out) {
  AT_DISPATCH_FLOATING_TYPES_AND(kLong, dtype, "avg_pool3d", [&] {
    average(boxes, static_cast<const scalar_t*>(in), static_cast<scalar_t*>(out));
  });
}

void avg_pool3d_backward_on_device(
    ScalarType dtype, const PoolBoxes& boxes, const void* grad, void* grad_in) {
  AT_DISPATCH_FLOATING_TYPES(dtype, "avg_pool3d_backward", [&] {
    spread(boxes, static_cast<const scalar_t*>(grad), static_cast<scalar_t*>(grad_in));
  });
}

// ---- windows at pseudo-random positions

template <typename T>
void find_fractional_maxima(
    const FractionalPool& f, const T* in, const T* samples, T* out, int64_t* indices) {
  const Volume in_shape = volume(f.in), out_shape = volume(f.out), kernel = volume(f.kernel);
  const int64_t dims = f.dims;
  for_each_index(f.planes * out_shape.size(), [=] C10_DEVICE(int64_t i) {
    const auto p = out_shape.place(i);
    const T* plane = in + p.plane * in_shape.size();
    const T* sample = samples + p.plane * dims;
    const T for_width = sample[dims == 2 ? 0 : 2];
    const int64_t d0 =
        dims == 2 ? 0 : FractionalPool::start(sample[0], p.d, in_shape.d, out_shape.d, kernel.d);
    const int64_t h0 = FractionalPool::start(sample[1], p.h, in_shape.h, out_shape.h, kernel.h);
    const int64_t w0 = FractionalPool::start(for_width, p.w, in_shape.w, out_shape.w, kernel.w);
    int64_t best = (d0 * in_shape.h + h0) * in_shape.w + w0;
    for (int64_t d = d0; d < d0 + kernel.d; ++d) {
      for (int64_t h = h0; h < h0 + kernel.h; ++h) {
        for (int64_t w = w0; w < w0 + kernel.w; ++w) {
          const int64_t at = (d * in_shape.h + h) * in_shape.w + w;
          if (plane[at] > plane[best] || plane[at] != plane[at]) {
            best = at;
          }
        }
      }
    }
    indices[i] = best;
    out[i] = plane[best];
  });
}

void fractional_max_pool_on_device(
    ScalarType dtype, const FractionalPool& f, const void* in, const void* samples, void* out,
    int64_t* indices) {
  AT_DISPATCH_FLOATING_TYPES(dtype, "fractional_max_pool", [&] {
    find_fractional_maxima(
        f, static_cast<const scalar_t*>(in), static_cast<const scalar_t*>(samples),
        static_cast<scalar_t*>(out), indices);
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(max_pool3d_stub, &max_pool3d_on_device)
REGISTER_CUDA_DISPATCH(avg_pool3d_stub, &avg_pool3d_on_device)
REGISTER_CUDA_DISPATCH(avg_pool3d_backward_stub, &avg_pool3d_backward_on_device)
REGISTER_CUDA_DISPATCH(fractional_max_pool_stub, &fractional_max_pool_on_device)

} // namespace at::native
