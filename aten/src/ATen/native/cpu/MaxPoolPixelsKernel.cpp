#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/Pool.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <limits>

// Among equal maxima, the first one in the window in row order wins; a NaN beats every number, and
// the last NaN of the window wins.

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Pools a register of channels at a time; those of a pixel are adjacent.
template <typename T>
struct PixelPool {
  using Lane = wide_lane_t<T>;
  using Place = std::conditional_t<sizeof(Lane) == 8, int64_t, int32_t>;
  static constexpr int L = kLanes<Lane>;

  static constexpr Lane lowest() {
    if constexpr (std::is_floating_point_v<Lane>) {
      return -std::numeric_limits<Lane>::infinity();
    } else {
      return std::numeric_limits<Lane>::lowest();
    }
  }

  // The maxima of up to L channels over a window, and their places in the image.
  static void pool_window(
      const PoolPlan& p, PoolWindow rows, PoolWindow columns, const T* image, int64_t count,
      T* output, int64_t* indices) {
    auto best = splat<Lane>(lowest());
    auto places = splat<Place>(static_cast<Place>(rows.begin * p.in_w + columns.begin));
    for (int64_t h = rows.begin; h < rows.end; h += p.dilation_h) {
      for (int64_t w = columns.begin; w < columns.end; w += p.dilation_w) {
        const int64_t place = h * p.in_w + w;
        const auto value = load_up_to<Lane>(image + place * p.channels, count, Lane(0));
        const auto is_better = (value > best) | (value != value);
        best = is_better ? value : best;
        places = is_better ? splat<Place>(static_cast<Place>(place)) : places;
      }
    }
    if constexpr (sizeof(at::vec::lane_type<T>) < sizeof(Lane)) { // narrow integers
      for (int lane = 0; lane < std::min<int64_t>(count, L); ++lane) {
        output[lane] = static_cast<T>(best[lane]);
      }
    } else {
      save_up_to<T, Lane>(output, best, count);
    }
    Place at[L];
    store_lanes(at, places);
    count >= L ? std::copy_n(at, L, indices) : std::copy_n(at, count, indices);
  }

  static void run(const PoolPlan& p, const T* input, T* output, int64_t* indices) {
    const int64_t batch = p.channels > 0 ? p.planes / p.channels : 0;
    const int64_t pixels = p.out_h() * p.out_w();
    at::parallel_for(0, batch * pixels, 16, [&](int64_t begin, int64_t end) {
      for (int64_t out = begin; out < end; ++out) {
        const T* image = input + out / pixels * p.in_h * p.in_w * p.channels;
        const PoolWindow rows = p.rows[out % pixels / p.out_w()];
        const PoolWindow columns = p.columns[out % p.out_w()];
        for (int64_t c = 0, to = out * p.channels; c < p.channels; c += L) {
          pool_window(
              p, rows, columns, image + c, p.channels - c, output + to + c, indices + to + c);
        }
      }
    });
  }
};

void max_pool2d_pixels_kernel(
    ScalarType dtype, const PoolPlan& plan, const void* input, void* output, int64_t* indices) {
  AT_DISPATCH_ALL_TYPES_AND2(kBFloat16, kHalf, dtype, "max_pool2d", [&] {
    PixelPool<scalar_t>::run(
        plan, static_cast<const scalar_t*>(input), static_cast<scalar_t*>(output), indices);
  });
}

} // namespace

REGISTER_DISPATCH(max_pool2d_pixels_stub, &max_pool2d_pixels_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
