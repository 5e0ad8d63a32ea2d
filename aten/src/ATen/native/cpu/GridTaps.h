#pragma once

#include <ATen/cpu/vec/vec_round.h>
#include <ATen/native/GridSample.h>
#include <ATen/native/cpu/Lanes.h>

// The elements of an image that a register of points reads.

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
using Places = at::vec::mask_of<Lanes<T>>;

// Coordinates and their derivatives by the grid's.
template <typename T>
struct GridSlope {
  Lanes<T> value, by;
};

// From [-1, 1] to [0, size - 1], or to the outer corners of the first and last pixel.
template <typename T>
C10_ALWAYS_INLINE GridSlope<T> grid_position(const GridSampling& s, Lanes<T> at, int64_t size) {
  const auto n = static_cast<T>(size);
  return s.align_corners ? GridSlope<T>{(at + T(1)) * T(0.5) * (n - 1), splat<T>((n - 1) / 2)}
                         : GridSlope<T>{((at + T(1)) * n - T(1)) * T(0.5), splat<T>(n / 2)};
}

// NaN becomes 0.
template <typename T>
C10_ALWAYS_INLINE GridSlope<T> grid_clipped(GridSlope<T> x, int64_t size) {
  const Lanes<T> zero{}, last = splat<T>(static_cast<T>(size - 1));
  const auto above = x.value > zero, below = x.value < last;
  return {above ? (below ? x.value : last) : zero, above & below ? x.by : zero};
}

// Reflection between the centers of the outer pixels or, without align_corners, their outer sides.
template <typename T>
C10_ALWAYS_INLINE GridSlope<T> grid_reflected(const GridSampling& s, GridSlope<T> x, int64_t size) {
  const T low = s.align_corners ? T(0) : T(-0.5);
  const T span = static_cast<T>(s.align_corners ? size - 1 : size);
  if (span == 0) {
    return {Lanes<T>{}, Lanes<T>{}};
  }
  Lanes<T> at = x.value - low;
  x.by = at < T(0) ? -x.by : x.by;
  at = at::vec::abs(at);
  Lanes<T> turns = at::vec::floor(at / span);
  Lanes<T> extra = at - turns * span;
  const auto under = extra < T(0), over = extra >= span; // the quotient was rounded
  turns = under ? turns - T(1) : over ? turns + T(1) : turns;
  extra = under ? extra + span : over ? extra - span : extra;
  const auto even = at::vec::floor(turns * T(0.5)) * T(2) == turns;
  return {(even ? extra : span - extra) + low, even ? x.by : -x.by};
}

template <typename T>
C10_ALWAYS_INLINE GridSlope<T> grid_inside(const GridSampling& s, GridSlope<T> x, int64_t size) {
  switch (s.padding) {
    case GridPadding::Border:
      return grid_clipped<T>(x, size);
    case GridPadding::Reflection:
      return grid_clipped<T>(grid_reflected<T>(s, x, size), size);
    default:
      return x;
  }
}

// Along one axis: places, which of them lie inside, weights and their derivatives.
template <typename T, int Count>
struct GridTaps {
  Places<T> at[Count], inside[Count];
  Lanes<T> weight[Count], by[Count];

  C10_ALWAYS_INLINE void set(int i, Lanes<T> place, int64_t size, Lanes<T> w, Lanes<T> slope) {
    inside[i] = (place >= T(0)) & (place <= static_cast<T>(size - 1));
    at[i] = at::vec::convert_lanes<at::vec::int_like<T>>(inside[i] ? place : Lanes<T>{});
    weight[i] = w;
    by[i] = slope;
  }
};

// Cubic convolution with a = -0.75, at distances up to 1 and beyond.
template <typename T>
C10_ALWAYS_INLINE GridSlope<T> near_cubic(Lanes<T> x) {
  constexpr T a = -0.75;
  return {((a + 2) * x - (a + 3)) * x * x + T(1), (3 * (a + 2) * x - 2 * (a + 3)) * x};
}
template <typename T>
C10_ALWAYS_INLINE GridSlope<T> far_cubic(Lanes<T> x) {
  constexpr T a = -0.75;
  return {((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a};
}

template <typename T, int Count>
C10_ALWAYS_INLINE GridTaps<T, Count> grid_taps(
    const GridSampling& s, Lanes<T> coordinate, int64_t size) {
  GridTaps<T, Count> taps;
  GridSlope<T> x = grid_position<T>(s, coordinate, size);
  if constexpr (Count == 4) {
    const Lanes<T> base = at::vec::floor(x.value), t = x.value - base;
    for (int i = 0; i < 4; ++i) {
      const Lanes<T> away = i < 2 ? t - T(i - 1) : T(i - 1) - t;
      const GridSlope<T> w = i == 0 || i == 3 ? far_cubic<T>(away) : near_cubic<T>(away);
      const GridSlope<T> place = grid_inside<T>(s, GridSlope<T>{base + T(i - 1), Lanes<T>{}}, size);
      taps.set(i, at::vec::round(place.value), size, w.value, (i < 2 ? w.by : -w.by) * x.by);
    }
    return taps;
  }
  x = grid_inside<T>(s, x, size);
  if constexpr (Count == 1) {
    taps.set(0, at::vec::round(x.value), size, splat<T>(T(1)), Lanes<T>{});
  } else if constexpr (Count == 2) {
    const Lanes<T> base = at::vec::floor(x.value), t = x.value - base;
    taps.set(0, base, size, T(1) - t, -x.by);
    taps.set(1, base + T(1), size, t, x.by);
  }
  return taps;
}

template <typename T>
C10_ALWAYS_INLINE Lanes<T> gather_inside(const T* from, Places<T> at, Places<T> inside) {
  Lanes<T> result;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    const auto index = reinterpret_cast<__m512i>(at), mask = reinterpret_cast<__m512i>(inside);
    return reinterpret_cast<Lanes<T>>(_mm512_mask_i32gather_ps(
        _mm512_setzero_ps(), _mm512_test_epi32_mask(mask, mask), index, from, 4));
  } else {
    const auto index = reinterpret_cast<__m512i>(at), mask = reinterpret_cast<__m512i>(inside);
    return reinterpret_cast<Lanes<T>>(_mm512_mask_i64gather_pd(
        _mm512_setzero_pd(), _mm512_test_epi64_mask(mask, mask), index, from, 8));
  }
#endif
  for (int l = 0; l < kLanes<T>; ++l) {
    result[l] = from[at[l]];
  }
  return inside ? result : Lanes<T>{};
}

} // namespace CPU_CAPABILITY
} // namespace at::native
