#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/Pool.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>

// Of equal maxima the first one of the window in row order counts; a NaN beats every number, and
// the last NaN of the window counts.

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

// Every column's maximum over the window's rows, and the row it stands in: contiguous in the
// column, so the compiler vectorises it.
template <typename scalar_t, typename compute_t>
void column_maxima(
    const scalar_t* plane, const PoolPlan& p, PoolWindow rows, compute_t* best, int32_t* row_of) {
  const scalar_t* line = plane + rows.begin * p.in_w;
  for (int64_t w = 0; w < p.in_w; ++w) {
    best[w] = static_cast<compute_t>(line[w]);
    row_of[w] = static_cast<int32_t>(rows.begin);
  }
  for (int64_t h = rows.begin + p.dilation_h; h < rows.end; h += p.dilation_h) {
    line = plane + h * p.in_w;
    const auto row = static_cast<int32_t>(h);
    for (int64_t w = 0; w < p.in_w; ++w) {
      const auto value = static_cast<compute_t>(line[w]);
      const bool better = !(value <= best[w]) && (value > best[w] || value != value);
      row_of[w] = better ? row : row_of[w];
      best[w] = better ? value : best[w];
    }
  }
}

template <typename scalar_t, typename compute_t>
void pool_plane(
    const scalar_t* plane, const PoolPlan& p, scalar_t* output, int64_t* indices, compute_t* best,
    int32_t* row_of) {
  for (int64_t oh = 0; oh < p.out_h(); ++oh) {
    const PoolWindow rows = p.rows[oh];
    column_maxima(plane, p, rows, best, row_of);
    for (int64_t ow = 0; ow < p.out_w(); ++ow) {
      const PoolWindow columns = p.columns[ow];
      int64_t w = columns.begin;
      compute_t maximum = best[w];
      int64_t index = row_of[w] * p.in_w + w;
      for (w += p.dilation_w; w < columns.end; w += p.dilation_w) {
        const compute_t value = best[w];
        const int64_t place = row_of[w] * p.in_w + w;
        const bool is_nan = value != value;
        const bool was_nan = maximum != maximum;
        const bool better = is_nan ? (!was_nan || place > index)
                                   : value > maximum || (value == maximum && place < index);
        maximum = better ? value : maximum;
        index = better ? place : index;
      }
      output[oh * p.out_w() + ow] = static_cast<scalar_t>(maximum);
      indices[oh * p.out_w() + ow] = index;
    }
  }
}

template <typename scalar_t>
void pool_planes(const PoolPlan& p, const scalar_t* input, scalar_t* output, int64_t* indices) {
  using compute_t = opmath_type<scalar_t>;
  const int64_t in_size = p.in_h * p.in_w;
  const int64_t out_size = p.out_h() * p.out_w();
  const int64_t grain =
      std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(in_size, 1));
  at::parallel_for(0, p.planes, grain, [&](int64_t begin, int64_t end) {
    const auto best = std::make_unique<compute_t[]>(p.in_w);
    const auto row_of = std::make_unique<int32_t[]>(p.in_w);
    for (int64_t plane = begin; plane < end; ++plane) {
      pool_plane(
          input + plane * in_size, p, output + plane * out_size, indices + plane * out_size,
          best.get(), row_of.get());
    }
  });
}

// Channels last: all channels of a pixel at once, contiguous.
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

void max_pool2d_kernel(
    ScalarType dtype, const PoolPlan& plan, bool channels_last, const void* input, void* output,
    int64_t* indices) {
  AT_DISPATCH_ALL_TYPES_AND2(kBFloat16, kHalf, dtype, "max_pool2d", [&] {
    const auto* in = static_cast<const scalar_t*>(input);
    auto* out = static_cast<scalar_t*>(output);
    if (channels_last) {
      pool_pixels(plan, in, out, indices);
    } else {
      pool_planes(plan, in, out, indices);
    }
  });
}

} // namespace

REGISTER_DISPATCH(max_pool2d_stub, &max_pool2d_kernel)

} // namespace at::native
