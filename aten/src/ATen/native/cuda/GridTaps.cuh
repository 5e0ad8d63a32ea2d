#pragma once

// The elements of an image that one point of grid_sample reads. cpu/GridTaps.h has the same for a
// register of points.

#include <ATen/native/GridSample.h>
#include <c10/macros/Macros.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace at::native::grid_points {

// A number and its derivative by the grid's coordinate.
template <typename T>
struct Slope {
  T value, by;
};

// From [-1, 1] to [0, size - 1], or to the outer corners of the first and last pixel.
template <typename T>
C10_HOST_DEVICE Slope<T> position(const GridSampling& s, T at, int64_t size) {
  const auto n = static_cast<T>(size);
  return s.align_corners ? Slope<T>{(at + 1) / 2 * (n - 1), (n - 1) / 2}
                         : Slope<T>{((at + 1) * n - 1) / 2, n / 2};
}

template <typename T>
C10_HOST_DEVICE Slope<T> clipped(Slope<T> x, int64_t size) {
  const auto last = static_cast<T>(size - 1);
  if (!(x.value > 0)) {
    return {0, 0};
  }
  return x.value >= last ? Slope<T>{last, 0} : x;
}

// Reflection between the centers of the outer pixels or, without align_corners, their outer sides.
template <typename T>
C10_HOST_DEVICE Slope<T> reflected(const GridSampling& s, Slope<T> x, int64_t size) {
  const T low = s.align_corners ? T(0) : T(-0.5);
  const T span = static_cast<T>(s.align_corners ? size - 1 : size);
  if (span == 0) {
    return {0, 0};
  }
  T at = x.value - low;
  if (at < 0) {
    at = -at;
    x.by = -x.by;
  }
  const T extra = std::fmod(at, span);
  const bool even = std::fmod(std::floor(at / span), T(2)) == 0;
  return even ? Slope<T>{extra + low, x.by} : Slope<T>{span - extra + low, -x.by};
}

template <typename T>
C10_HOST_DEVICE Slope<T> inside(const GridSampling& s, Slope<T> x, int64_t size) {
  switch (s.padding) {
    case GridPadding::Border:
      return clipped(x, size);
    case GridPadding::Reflection:
      return clipped(reflected(s, x, size), size);
    default:
      return x;
  }
}

// The elements of one axis that a point reads: their places (-1 outside), weights and derivatives.
template <typename T>
struct Taps {
  int count = 1;
  std::array<int64_t, 4> at = {0, 0, 0, 0};
  std::array<T, 4> weight = {1, 0, 0, 0};
  std::array<T, 4> by = {0, 0, 0, 0};

  C10_HOST_DEVICE void set(int i, T place, int64_t size, T weight_at, T slope) {
    at[i] = place >= 0 && place <= static_cast<T>(size - 1) ? static_cast<int64_t>(place) : -1;
    weight[i] = weight_at;
    by[i] = slope;
  }
};

// Cubic convolution with a = -0.75, of the elements at distances 1 + t, t, 1 - t and 2 - t.
template <typename T>
C10_HOST_DEVICE Slope<T> cubic_weight(T x) {
  constexpr T a = -0.75;
  return x <= 1
      ? Slope<T>{((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x}
      : Slope<T>{((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a};
}

template <typename T>
C10_HOST_DEVICE Taps<T> taps_of(const GridSampling& s, T coordinate, int64_t size) {
  Taps<T> taps;
  Slope<T> x = position(s, coordinate, size);
  if (s.mode == GridMode::Cubic) {
    const T base = std::floor(x.value), t = x.value - base;
    taps.count = 4;
    for (int i = 0; i < 4; ++i) {
      const T signed_distance = t - static_cast<T>(i - 1);
      const Slope<T> w = cubic_weight(std::abs(signed_distance));
      const T place = inside(s, Slope<T>{base + static_cast<T>(i - 1), 0}, size).value;
      taps.set(
          i, std::nearbyint(place), size, w.value, (signed_distance < 0 ? -w.by : w.by) * x.by);
    }
    return taps;
  }
  x = inside(s, x, size);
  if (s.mode == GridMode::Nearest) {
    taps.set(0, std::nearbyint(x.value), size, 1, 0);
    return taps;
  }
  const T base = std::floor(x.value), t = x.value - base;
  taps.count = 2;
  taps.set(0, base, size, 1 - t, -x.by);
  taps.set(1, base + 1, size, t, x.by);
  return taps;
}

template <typename T>
using Axes = std::array<Taps<T>, 3>;

template <typename T>
C10_HOST_DEVICE Axes<T> axes_at(const GridSampling& s, const T* point) {
  Axes<T> axes;
  for (int64_t d = 0; d < s.dims; ++d) {
    axes[d] = taps_of(s, point[d], s.in[d]);
  }
  return axes;
}

// Calls f(element, x, y, z) for every element inside that a point reads.
template <typename T, typename F>
C10_HOST_DEVICE void for_each_tap(const GridSampling& s, const Axes<T>& axes, const F& f) {
  for (int z = 0; z < axes[2].count; ++z) {
    for (int y = 0; y < axes[1].count; ++y) {
      for (int x = 0; x < axes[0].count; ++x) {
        const int64_t column = axes[0].at[x], row = axes[1].at[y], depth = axes[2].at[z];
        if (column >= 0 && row >= 0 && depth >= 0) {
          f((depth * s.in[1] + row) * s.in[0] + column, x, y, z);
        }
      }
    }
  }
}

} // namespace at::native::grid_points
