#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/Pool.h>

#include <algorithm>
#include <limits>
#include <memory>

// Among equal maxima, the first one in the window in row order wins; a NaN beats every number, and
// the last NaN of the window wins.

namespace at::native {

namespace {

template <typename T>
constexpr T lowest() {
  if constexpr (std::numeric_limits<T>::has_infinity) {
    return -std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

// Channels last: processes all channels of a pixel at once, since they are contiguous.
template <typename scalar_t>
void pool_pixels(const PoolPlan& p, const scalar_t* input, scalar_t* output, int64_t* indices) {
  using compute_t = opmath_type<scalar_t>;
  const int64_t batch = p.channels > 0 ? p.planes / p.channels : 0;
  const int64_t pixels = p.out_h() * p.out_w();
  at::parallel_for(0, batch * pixels, 16, [&](int64_t begin, int64_t end) {
    const auto best = std::make_unique<compute_t[]>(p.channels);
    for (int64_t out = begin; out < end; ++out) {
      const scalar_t* image = input + out / pixels * p.in_h * p.in_w * p.channels;
      const int64_t oh = out % pixels / p.out_w();
      const int64_t ow = out % p.out_w();
      const PoolWindow rows = p.rows[oh];
      const PoolWindow columns = p.columns[ow];
      int64_t* index = indices + out * p.channels;
      const int64_t first = rows.begin * p.in_w + columns.begin;
      std::fill(best.get(), best.get() + p.channels, lowest<compute_t>());
      std::fill(index, index + p.channels, first);
      for (int64_t h = rows.begin; h < rows.end; h += p.dilation_h) {
        for (int64_t w = columns.begin; w < columns.end; w += p.dilation_w) {
          const int64_t place = h * p.in_w + w;
          const scalar_t* pixel = image + place * p.channels;
          for (int64_t c = 0; c < p.channels; ++c) {
            const auto value = static_cast<compute_t>(pixel[c]);
            const bool better = value > best[c] || value != value;
            best[c] = better ? value : best[c];
            index[c] = better ? place : index[c];
          }
        }
      }
      for (int64_t c = 0; c < p.channels; ++c) {
        output[out * p.channels + c] = static_cast<scalar_t>(best[c]);
      }
    }
  });
}

void max_pool2d_pixels_kernel(
    ScalarType dtype, const PoolPlan& plan, const void* input, void* output, int64_t* indices) {
  AT_DISPATCH_ALL_TYPES_AND2(kBFloat16, kHalf, dtype, "max_pool2d", [&] {
    pool_pixels(plan, static_cast<const scalar_t*>(input), static_cast<scalar_t*>(output), indices);
  });
}

} // namespace

REGISTER_DISPATCH(max_pool2d_pixels_stub, &max_pool2d_pixels_kernel)

} // namespace at::native
