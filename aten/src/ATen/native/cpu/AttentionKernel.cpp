#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/native/Attention.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <class T>
struct Attention {
  using V = Lanes<T>;
  static constexpr int L = kLanes<T>;
  static constexpr T kNothing = -std::numeric_limits<T>::infinity();

  static T larger(T a, T b) { return (b > a || b != b) ? b : a; }
  static T plus(T a, T b) { return a + b; }

  // The number of columns that a row may attend to.
  static int64_t seen_columns(const AttentionTile& tile, int64_t r) {
    return std::clamp<int64_t>(tile.allowed + r, 0, tile.cols);
  }

  // The mask of a row by columns, or null. A mask with one number per row is added to x instead.
  static const T* mask_of(const AttentionTile& tile, int64_t r, T* x, int64_t cols) {
    if (tile.mask == nullptr) {
      return nullptr;
    }
    const T* mask = static_cast<const T*>(tile.mask) + r * tile.mask_row;
    if (tile.mask_col != 0) {
      return mask;
    }
    for (int64_t i = 0; i < cols; i += L) {
      save_up_to<T, T>(x + i, load_up_to<T>(x + i, cols - i, T(0)) + *mask, cols - i);
    }
    return nullptr;
  }

  static V above(V a, V b) { return b > a ? b : a; }

  // Adds the mask to the scores of a row and returns their maximum, like row_max. Rows of a mask
  // are far apart: the next one is requested on the way.
  static T masked_max(T* x, const T* mask, int64_t mask_row, int64_t n) {
    V max[2] = {splat<T>(kNothing), splat<T>(kNothing)};
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const int64_t at = i + j * L;
        __builtin_prefetch(mask + mask_row + at);
        const V score = load_lanes<T>(x + at) + load_lanes<T>(mask + at);
        store_lanes<T>(x + at, score);
        max[j] = above(max[j], score);
      }
    }
    for (; i < n; i += L) {
      const V score = load_up_to<T>(x + i, n - i, kNothing) + load_up_to<T>(mask + i, n - i, T(0));
      save_up_to<T, T>(x + i, score, n - i);
      max[0] = above(max[0], score);
    }
    return fold_lanes<T>(above(max[0], max[1]), larger);
  }

  // The maximum of numbers. A NaN shows in the sum of exponentials.
  static T row_max(const T* x, int64_t n) {
    V max[4];
    std::fill_n(max, 4, splat<T>(kNothing));
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        max[j] = above(max[j], load_lanes<T>(x + i + j * L));
      }
    }
    for (; i < n; i += L) {
      max[0] = above(max[0], load_up_to<T>(x + i, n - i, kNothing));
    }
    return fold_lanes<T>(above(above(max[0], max[1]), above(max[2], max[3])), larger);
  }

  // e^x for an x that is not above 0.
  static V exp_below(V x) {
    using C = at::vec::ExpConstants<T>;
    return at::vec::exp_of(
        at::vec::reduce_exp(at::vec::at_least(x, C::kLow), at::vec::kExpMagic<V>));
  }

  static T row_exp(T* x, int64_t n, T shift) {
    V sum{};
    int64_t i = 0;
    for (; i + L <= n; i += L) {
      const V e = exp_below(load_lanes<T>(x + i) - shift);
      store_lanes<T>(x + i, e);
      sum += e;
    }
    if (i < n) {
      const V e = exp_below(load_up_to<T>(x + i, n - i, kNothing) - shift);
      save_up_to<T, T>(x + i, e, n - i);
      sum += e;
    }
    return fold_lanes<T>(sum, plus);
  }

  static void scale_row(const T* x, T* y, int64_t n, T factor) {
    for (int64_t i = 0; i < n; i += L) {
      save_up_to<T, T>(y + i, load_up_to<T>(x + i, n - i, T(0)) * factor, n - i);
    }
  }

  static void softmax(const AttentionTile& tile, const AttentionRows& rows) {
    T* max = static_cast<T*>(rows.max);
    T* sum = static_cast<T*>(rows.sum);
    for (int64_t r = 0; r < tile.rows; ++r) {
      T* x = static_cast<T*>(tile.scores) + r * tile.step;
      const int64_t seen = seen_columns(tile, r);
      const int64_t cols = std::min<int64_t>((seen + L - 1) / L * L, tile.cols);
      std::fill(x + seen, x + cols, kNothing); // whole registers, where possible
      const T* mask = mask_of(tile, r, x, seen);
      const T highest = larger(
          max[r], mask == nullptr ? row_max(x, cols) : masked_max(x, mask, tile.mask_row, seen));
      const T shift = highest == kNothing ? T(0) : highest;
      const T rescale = max[r] == kNothing ? T(0) : std::exp(max[r] - shift);
      const T added = row_exp(x, cols, shift);
      std::fill(x + cols, x + tile.cols, T(0));
      sum[r] = sum[r] * rescale + added;
      if (rescale != 1) {
        T* result = static_cast<T*>(rows.result) + r * rows.width;
        scale_row(result, result, rows.width, rescale);
      }
      max[r] = highest;
    }
  }

  static void finish(
      const AttentionRows& rows, int64_t count, T* out, int64_t out_step, T* lse,
      int64_t lse_step) {
    const T* max = static_cast<const T*>(rows.max);
    const T* sum = static_cast<const T*>(rows.sum);
    for (int64_t r = 0; r < count; ++r) {
      const bool empty = sum[r] == 0;
      const T* result = static_cast<const T*>(rows.result) + r * rows.width;
      scale_row(result, out + r * out_step, rows.width, empty ? T(0) : T(1) / sum[r]);
      lse[r * lse_step] = empty ? T(0) : max[r] + std::log(sum[r]);
    }
  }

  static void gradient(const AttentionTile& tile, T* grad, const T* lse, const T* delta) {
    for (int64_t r = 0; r < tile.rows; ++r) {
      T* x = static_cast<T*>(tile.scores) + r * tile.step;
      T* g = grad + r * tile.step;
      const int64_t cols = seen_columns(tile, r);
      const T* mask = mask_of(tile, r, x, cols);
      mask == nullptr ? row_gradient<false>(x, mask, 0, cols, g, lse[r], delta[r])
                      : row_gradient<true>(x, mask, tile.mask_row, cols, g, lse[r], delta[r]);
      std::fill(x + cols, x + tile.cols, T(0));
      std::fill(g + cols, g + tile.cols, T(0));
    }
  }

  template <bool kMasked>
  static void row_gradient(T* x, const T* mask, int64_t mask_row, int64_t n, T* g, T lse, T delta) {
    int64_t i = 0;
    for (; i + L <= n; i += L) {
      V score = load_lanes<T>(x + i);
      if constexpr (kMasked) {
        __builtin_prefetch(mask + mask_row + i);
        score += load_lanes<T>(mask + i);
      }
      const V p = at::vec::exp(score - lse);
      store_lanes<T>(x + i, p);
      store_lanes<T>(g + i, p * (load_lanes<T>(g + i) - delta));
    }
    if (i < n) {
      V score = load_up_to<T>(x + i, n - i, kNothing);
      if constexpr (kMasked) {
        score += load_up_to<T>(mask + i, n - i, T(0));
      }
      const V p = at::vec::exp(score - lse);
      const V change = load_up_to<T>(g + i, n - i, T(0)) - delta;
      save_up_to<T, T>(x + i, p, n - i);
      save_up_to<T, T>(g + i, p * change, n - i);
    }
  }

  static void row_dot(
      const T* a, int64_t a_step, const T* b, int64_t b_step, int64_t rows, int64_t width, T* out) {
    for (int64_t r = 0; r < rows; ++r) {
      V sum{};
      for (int64_t i = 0; i < width; i += L) {
        sum += load_up_to<T>(a + r * a_step + i, width - i, T(0)) *
            load_up_to<T>(b + r * b_step + i, width - i, T(0));
      }
      out[r] = fold_lanes<T>(sum, plus);
    }
  }
};

// The half types are converted by the callers.
template <typename F>
void for_tile_type(c10::ScalarType dtype, const F& f) {
  if (dtype == c10::ScalarType::Double) {
    f(double());
  } else {
    f(float());
  }
}

void softmax(c10::ScalarType dtype, const AttentionTile& tile, const AttentionRows& rows) {
  for_tile_type(dtype, [&]<typename T>(T) { Attention<T>::softmax(tile, rows); });
}

void finish(
    c10::ScalarType dtype, const AttentionRows& rows, int64_t count, void* out, int64_t out_step,
    void* lse, int64_t lse_step) {
  for_tile_type(dtype, [&]<typename T>(T) {
    Attention<T>::finish(
        rows, count, static_cast<T*>(out), out_step, static_cast<T*>(lse), lse_step);
  });
}

void gradient(
    c10::ScalarType dtype, const AttentionTile& tile, void* grad, const void* lse,
    const void* delta) {
  for_tile_type(dtype, [&]<typename T>(T) {
    Attention<T>::gradient(
        tile, static_cast<T*>(grad), static_cast<const T*>(lse), static_cast<const T*>(delta));
  });
}

void row_dot(
    c10::ScalarType dtype, const void* a, int64_t a_step, const void* b, int64_t b_step,
    int64_t rows, int64_t width, void* out) {
  for_tile_type(dtype, [&]<typename T>(T) {
    Attention<T>::row_dot(
        static_cast<const T*>(a), a_step, static_cast<const T*>(b), b_step, rows, width,
        static_cast<T*>(out));
  });
}

} // namespace

REGISTER_DISPATCH(attention_softmax_stub, &softmax)
REGISTER_DISPATCH(attention_finish_stub, &finish)
REGISTER_DISPATCH(attention_gradient_stub, &gradient)
REGISTER_DISPATCH(row_dot_stub, &row_dot)

} // namespace CPU_CAPABILITY
} // namespace at::native
