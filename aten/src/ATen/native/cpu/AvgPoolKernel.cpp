#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/AvgPool.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace at::native {

namespace {

// Adds up the rows of a window first, contiguous in the column, then columns of the sums.
template <typename T>
void pool_planes(const AvgPoolPlan& p, const T* in, T* out) {
  using Wide = opmath_type<T>;
  at::parallel_for(0, p.batch * p.channels, avg_pool_grain(p), [&](int64_t begin, int64_t end) {
    std::vector<Wide> sums(static_cast<size_t>(p.in_w));
    T* to = out + begin * p.out_h() * p.out_w();
    for (int64_t plane = begin; plane < end; ++plane) {
      const T* from = in + plane * p.in_h * p.in_w;
      for (int64_t oh = 0; oh < p.out_h(); ++oh, to += p.out_w()) {
        std::fill(sums.begin(), sums.end(), Wide(0));
        for (int64_t h = p.rows[oh].begin; h < p.rows[oh].end; ++h) {
          const T* row = from + h * p.in_w;
          for (int64_t w = 0; w < p.in_w; ++w) {
            sums[w] += static_cast<Wide>(row[w]);
          }
        }
        for (int64_t ow = 0; ow < p.out_w(); ++ow) {
          Wide sum = 0;
          for (int64_t w = p.columns[ow].begin; w < p.columns[ow].end; ++w) {
            sum += sums[w];
          }
          to[ow] =
              static_cast<T>(sum / static_cast<Wide>(p.row_divisors[oh] * p.column_divisors[ow]));
        }
      }
    }
  });
}

// One position of the output of a channels-last image.
template <typename T>
struct Window {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  const T* first;
  int64_t height, width, row, channels; // `row` is the distance of rows
  Lane divisor;

  // Multiplying by the reciprocal rounds as dividing does if the reciprocal is exact.
  V mean(V sum) const {
    if constexpr (std::is_floating_point_v<Lane>) {
      int exponent = 0;
      if (std::frexp(divisor, &exponent) == Lane(0.5)) {
        return sum * splat<Lane>(1 / divisor);
      }
    }
    return sum / splat<Lane>(divisor);
  }

  // kRegisters registers of channels, from channel c on.
  template <int kRegisters>
  void pool(int64_t c, T* out) const {
    V sum[kRegisters] = {};
    for (int64_t h = 0; h < height; ++h) {
      const T* pixel = first + h * row + c;
      for (int64_t w = 0; w < width; ++w, pixel += channels) {
#pragma GCC unroll 4
        for (int r = 0; r < kRegisters; ++r) {
          sum[r] += load_lanes<Lane>(pixel + r * L);
        }
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) {
      save_lanes<T, Lane>(out + c + r * L, mean(sum[r]));
    }
  }

  // A few channels, from channel c on.
  template <int kChannels>
  void pool_few(int64_t c, T* out) const {
    Lane sum[kChannels] = {};
    for (int64_t h = 0; h < height; ++h) {
      const T* pixel = first + h * row + c;
      for (int64_t w = 0; w < width; ++w, pixel += channels) {
#pragma GCC unroll 4
        for (int k = 0; k < kChannels; ++k) {
          sum[k] += to_lane<Lane>(pixel[k]);
        }
      }
    }
#pragma GCC unroll 4
    for (int k = 0; k < kChannels; ++k) {
      out[c + k] = static_cast<T>(sum[k] / divisor);
    }
  }

  // Images with fewer channels than a register.
  void pool_image(T* out) const {
    switch (channels) {
      case 1:
        return pool_few<1>(0, out);
      case 2:
        return pool_few<2>(0, out);
      case 3:
        return pool_few<3>(0, out);
      default:
        for (int64_t c = 0; c < channels; c += 4) {
          pool_few<4>(std::min(c, channels - 4), out);
        }
    }
  }
};

// Four registers of channels at a time; the last one overlaps the one before it.
template <typename T>
void pool_pixel(const Window<T>& window, T* out) {
  constexpr int64_t L = Window<T>::L, kTogether = 4;
  if (window.channels < L) {
    return window.pool_image(out);
  }
  int64_t c = 0;
  for (; c + kTogether * L <= window.channels; c += kTogether * L) {
    window.template pool<kTogether>(c, out);
  }
  for (; c < window.channels; c += L) {
    window.template pool<1>(std::min(c, window.channels - L), out);
  }
}

template <typename T>
void pool_pixels(const AvgPoolPlan& p, const T* in, T* out) {
  using Lane = wide_lane_t<T>;
  const int64_t pixels = p.out_h() * p.out_w(), row = p.in_w * p.channels;
  at::parallel_for(0, p.batch * pixels, 16, [&](int64_t begin, int64_t end) {
    int64_t image = begin / pixels, oh = begin % pixels / p.out_w(), ow = begin % p.out_w();
    for (int64_t i = begin; i < end; ++i) {
      const auto &rows = p.rows[oh], &columns = p.columns[ow];
      const Window<T> window{
          in + (image * p.in_h + rows.begin) * row + columns.begin * p.channels,
          rows.end - rows.begin,
          columns.end - columns.begin,
          row,
          p.channels,
          static_cast<Lane>(p.row_divisors[oh] * p.column_divisors[ow])};
      pool_pixel(window, out + i * p.channels);
      if (++ow == p.out_w()) {
        ow = 0;
        ++oh;
      }
      if (oh == p.out_h()) {
        oh = 0;
        ++image;
      }
    }
  });
}

template <typename T>
void pool(const AvgPoolPlan& plan, const void* in, void* out) {
  (plan.channels_last ? pool_pixels<T>
                      : pool_planes<T>)(plan, static_cast<const T*>(in), static_cast<T*>(out));
}

void avg_pool2d_kernel(ScalarType dtype, const AvgPoolPlan& plan, const void* in, void* out) {
  if (dtype == kLong) {
    return pool<int64_t>(plan, in, out);
  }
  for_floating(dtype, "avg_pool2d_out_frame", [&]<typename T>(T) { pool<T>(plan, in, out); });
}

} // namespace

REGISTER_DISPATCH(avg_pool2d_stub, &avg_pool2d_kernel)

} // namespace at::native
