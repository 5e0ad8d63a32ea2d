#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/AvgPool.h>
#include <ATen/native/cpu/KernelTypes.h>

#include <algorithm>
#include <vector>

namespace at::native {

namespace {

// Whether there is one window, which is the whole axis.
bool covers_plane(const std::vector<PoolWindow>& windows, int64_t size) {
  return windows.size() == 1 && windows[0].begin == 0 && windows[0].end == size;
}

// The reverse of the forward loops: spreads a row of gradients over columns, then adds it to rows.
template <typename T>
void spread_planes(const AvgPoolPlan& p, const T* grad, T* grad_in) {
  using Wide = opmath_type<T>;
  at::parallel_for(0, p.batch * p.channels, avg_pool_grain(p), [&](int64_t begin, int64_t end) {
    std::vector<Wide> spread(static_cast<size_t>(p.in_w));
    const bool one_window = covers_plane(p.rows, p.in_h) && covers_plane(p.columns, p.in_w);
    const T* from = grad + begin * p.out_h() * p.out_w();
    for (int64_t plane = begin; plane < end; ++plane) {
      T* to = grad_in + plane * p.in_h * p.in_w;
      if (one_window) {
        const Wide share = static_cast<Wide>(*from++) /
            static_cast<Wide>(p.row_divisors[0] * p.column_divisors[0]);
        std::fill_n(to, p.in_h * p.in_w, static_cast<T>(share));
        continue;
      }
      std::fill_n(to, p.in_h * p.in_w, T(0));
      for (int64_t oh = 0; oh < p.out_h(); ++oh, from += p.out_w()) {
        std::fill(spread.begin(), spread.end(), Wide(0));
        for (int64_t ow = 0; ow < p.out_w(); ++ow) {
          const Wide share = static_cast<Wide>(from[ow]) /
              static_cast<Wide>(p.row_divisors[oh] * p.column_divisors[ow]);
          for (int64_t w = p.columns[ow].begin; w < p.columns[ow].end; ++w) {
            spread[w] += share;
          }
        }
        for (int64_t h = p.rows[oh].begin; h < p.rows[oh].end; ++h) {
          T* row = to + h * p.in_w;
          for (int64_t w = 0; w < p.in_w; ++w) {
            row[w] = static_cast<T>(static_cast<Wide>(row[w]) + spread[w]);
          }
        }
      }
    }
  });
}

template <typename T>
void spread_pixels(const AvgPoolPlan& p, const T* grad, T* grad_in) {
  using Wide = opmath_type<T>;
  at::parallel_for(0, p.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      const T* from = grad + image * p.out_h() * p.out_w() * p.channels;
      T* to = grad_in + image * p.in_h * p.in_w * p.channels;
      std::fill_n(to, p.in_h * p.in_w * p.channels, T(0));
      for (int64_t i = 0; i < p.out_h() * p.out_w(); ++i, from += p.channels) {
        const int64_t oh = i / p.out_w(), ow = i % p.out_w();
        const Wide divisor = static_cast<Wide>(p.row_divisors[oh] * p.column_divisors[ow]);
        for (int64_t h = p.rows[oh].begin; h < p.rows[oh].end; ++h) {
          for (int64_t w = p.columns[ow].begin; w < p.columns[ow].end; ++w) {
            T* pixel = to + (h * p.in_w + w) * p.channels;
            for (int64_t c = 0; c < p.channels; ++c) {
              pixel[c] = static_cast<T>(
                  static_cast<Wide>(pixel[c]) + static_cast<Wide>(from[c]) / divisor);
            }
          }
        }
      }
    }
  });
}

template <typename T>
void spread(const AvgPoolPlan& plan, const void* grad, void* grad_in) {
  (plan.channels_last
       ? spread_pixels<T>
       : spread_planes<T>)(plan, static_cast<const T*>(grad), static_cast<T*>(grad_in));
}

void avg_pool2d_backward_kernel(
    ScalarType dtype, const AvgPoolPlan& plan, const void* grad, void* grad_in) {
  if (dtype == kLong) {
    return spread<int64_t>(plan, grad, grad_in);
  }
  for_floating(dtype, "avg_pool2d_backward_out_frame", [&]<typename T>(T) {
    spread<T>(plan, grad, grad_in);
  });
}

} // namespace

REGISTER_DISPATCH(avg_pool2d_backward_stub, &avg_pool2d_backward_kernel)

} // namespace at::native
