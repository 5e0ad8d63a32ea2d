#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/AvgPool.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
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

// Channels last: a register of channels at a time, the last one overlapping the one before it.
template <typename T>
void pool_pixels(const AvgPoolPlan& p, const T* in, T* out) {
  using Lane = wide_lane_t<T>;
  constexpr int L = kLanes<Lane>;
  const int64_t pixels = p.out_h() * p.out_w();
  at::parallel_for(0, p.batch * pixels, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* image = in + i / pixels * p.in_h * p.in_w * p.channels;
      const int64_t oh = i % pixels / p.out_w(), ow = i % p.out_w();
      const auto divisor =
          splat<Lane>(static_cast<Lane>(p.row_divisors[oh] * p.column_divisors[ow]));
      for (int64_t next = 0; next < p.channels; next += L) {
        const int64_t c = std::max<int64_t>(0, std::min(next, p.channels - L));
        Lanes<Lane> sum{};
        for (int64_t h = p.rows[oh].begin; h < p.rows[oh].end; ++h) {
          for (int64_t w = p.columns[ow].begin; w < p.columns[ow].end; ++w) {
            const T* pixel = image + (h * p.in_w + w) * p.channels;
            sum += load_up_to<Lane>(pixel + c, p.channels - c, Lane(0));
          }
        }
        save_up_to<T, Lane>(out + i * p.channels + c, sum / divisor, p.channels - c);
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
