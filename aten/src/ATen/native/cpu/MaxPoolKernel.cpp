#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/Pool.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>

// Among equal maxima, the first one in the window in row order wins; a NaN beats every number, and
// the last NaN of the window wins.

namespace at::native {

namespace {

// Finds each column's maximum over the window's rows, and the row it is in. Contiguous in the
// column, so the compiler vectorizes it.
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

// Whether the element at `place` beats the maximum at `index`.
template <typename T, typename Index>
bool beats(T value, Index place, T maximum, Index index) {
  return static_cast<bool>(
      (value > maximum) | ((value == maximum) & (place < index)) |
      ((value != value) & ((maximum == maximum) | (place > index))));
}

// Windows of one width, each starting `stride` columns after the previous one.
struct EvenWindows {
  int64_t first = 0, count = 0;            // indices of the windows
  int64_t begin = 0, stride = 1, taps = 0; // start of the first one
};

// The longest range of columns whose windows are evenly spaced.
EvenWindows longest_even(const PoolPlan& p) {
  EvenWindows longest, run;
  for (int64_t i = 0; i < p.out_w(); ++i) {
    const PoolWindow window = p.columns[i];
    const int64_t taps = (window.end - window.begin + p.dilation_w - 1) / p.dilation_w;
    if (taps <= 0) { // all taps are in the padding
      run = {};
      continue;
    }
    const int64_t step = run.count > 0 ? window.begin - p.columns[i - 1].begin : 0;
    if (run.count > 0 && taps == run.taps && (run.count == 1 || step == run.stride)) {
      run.stride = step;
      ++run.count;
    } else {
      run = {i, 1, window.begin, 1, taps};
    }
    longest = run.count > longest.count ? run : longest;
  }
  return longest;
}

// State for one output row, besides its inputs. It is reused from row to row.
template <typename compute_t>
struct RowPool {
  explicit RowPool(const PoolPlan& plan)
      : p(plan),
        even(longest_even(plan)),
        best(std::make_unique<compute_t[]>(plan.in_w)),
        row_of(std::make_unique<int32_t[]>(plan.in_w)),
        place(std::make_unique<int32_t[]>(plan.in_w)),
        maximum(std::make_unique<compute_t[]>(plan.out_w())),
        index(std::make_unique<int32_t[]>(plan.out_w())) {}

  // The result of a window all of whose taps are in the padding.
  static constexpr compute_t kLowest = std::is_floating_point_v<compute_t>
      ? -std::numeric_limits<compute_t>::infinity()
      : std::numeric_limits<compute_t>::lowest();

  const PoolPlan& p;
  const EvenWindows even;
  int64_t first_row = 0;             // where the current windows start
  std::unique_ptr<compute_t[]> best; // for each column of the input
  std::unique_ptr<int32_t[]> row_of, place;
  std::unique_ptr<compute_t[]> maximum; // for each column of the output
  std::unique_ptr<int32_t[]> index;

  // If the stride is a constant, the compiler vectorizes the loop.
  template <int64_t kStride>
  void pool_even(int64_t stride = kStride) {
    stride = kStride > 0 ? kStride : stride;
    compute_t* const most = maximum.get() + even.first;
    int32_t* const at = index.get() + even.first;
    for (int64_t i = 0; i < even.count; ++i) {
      most[i] = best[even.begin + i * stride];
      at[i] = place[even.begin + i * stride];
    }
    for (int64_t tap = 1; tap < even.taps; ++tap) {
      const compute_t* values = best.get() + even.begin + tap * p.dilation_w;
      const int32_t* places = place.get() + even.begin + tap * p.dilation_w;
      for (int64_t i = 0; i < even.count; ++i) {
        const compute_t value = values[i * stride];
        const int32_t where = places[i * stride];
        const bool better = beats(value, where, most[i], at[i]);
        most[i] = better ? value : most[i];
        at[i] = better ? where : at[i];
      }
    }
  }

  void pool_each(int64_t begin, int64_t end) {
    for (int64_t out = begin; out < end; ++out) {
      const PoolWindow window = p.columns[out];
      int64_t w = window.begin;
      if (w >= p.in_w) {
        maximum[out] = kLowest;
        index[out] = static_cast<int32_t>(first_row * p.in_w + w);
        continue;
      }
      compute_t most = best[w];
      int32_t at = place[w];
      for (w += p.dilation_w; w < window.end; w += p.dilation_w) {
        const bool better = beats(best[w], place[w], most, at);
        most = better ? best[w] : most;
        at = better ? place[w] : at;
      }
      maximum[out] = most;
      index[out] = at;
    }
  }

  template <typename scalar_t>
  void run(const scalar_t* plane, PoolWindow rows, scalar_t* output, int64_t* indices) {
    first_row = rows.begin;
    if (first_row >= p.in_h) {
      for (int64_t out = 0; out < p.out_w(); ++out) {
        output[out] = static_cast<scalar_t>(kLowest);
        indices[out] = first_row * p.in_w + p.columns[out].begin;
      }
      return;
    }
    column_maxima(plane, p, rows, best.get(), row_of.get());
    const auto width = static_cast<int32_t>(p.in_w);
    for (int32_t w = 0; w < width; ++w) {
      place[w] = row_of[w] * width + w;
    }
    if constexpr (std::is_integral_v<compute_t>) { // rare: not worth special code
      pool_each(0, p.out_w());
    } else {
      pool_each(0, even.first);
      if (even.stride == 1) {
        pool_even<1>();
      } else if (even.stride == 2) {
        pool_even<2>();
      } else {
        pool_even<0>(even.stride);
      }
      pool_each(even.first + even.count, p.out_w());
    }
    for (int64_t out = 0; out < p.out_w(); ++out) {
      output[out] = static_cast<scalar_t>(maximum[out]);
      indices[out] = index[out];
    }
  }
};

template <typename scalar_t>
void pool_planes(const PoolPlan& p, const scalar_t* input, scalar_t* output, int64_t* indices) {
  const int64_t in_size = p.in_h * p.in_w;
  const int64_t out_size = p.out_h() * p.out_w();
  const int64_t grain =
      std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(in_size, 1));
  at::parallel_for(0, p.planes, grain, [&](int64_t begin, int64_t end) {
    RowPool<opmath_type<scalar_t>> row(p);
    for (int64_t plane = begin; plane < end; ++plane) {
      for (int64_t oh = 0; oh < p.out_h(); ++oh) {
        const int64_t to = plane * out_size + oh * p.out_w();
        row.run(input + plane * in_size, p.rows[oh], output + to, indices + to);
      }
    }
  });
}

void max_pool2d_kernel(
    ScalarType dtype, const PoolPlan& plan, bool channels_last, const void* input, void* output,
    int64_t* indices) {
  TORCH_CHECK(
      plan.in_h * plan.in_w <= std::numeric_limits<int32_t>::max(),
      "max_pool2d: planes of more than 2^31 - 1 elements are not supported");
  if (channels_last) {
    return max_pool2d_pixels_stub(kCPU, dtype, plan, input, output, indices);
  }
  AT_DISPATCH_ALL_TYPES_AND2(kBFloat16, kHalf, dtype, "max_pool2d", [&] {
    pool_planes(plan, static_cast<const scalar_t*>(input), static_cast<scalar_t*>(output), indices);
  });
}

} // namespace

REGISTER_DISPATCH(max_pool2d_stub, &max_pool2d_kernel)

} // namespace at::native
