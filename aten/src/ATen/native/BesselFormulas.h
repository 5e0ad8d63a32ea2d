#pragma once

// Bessel functions J, Y and K of orders 0 and 1, and Airy's function Ai. `Math` names the type of
// the numbers, which is double or a vector of doubles, and its elementary functions: see
// ScalarMath. Near 0 the functions are polynomials, after their zeros, logarithms and poles were
// split off; beyond, they are an amplitude times a wave or an exponential (Abramowitz and
// Stegun 9.2, 9.7 and 10.4). The polynomials of the smooth parts are in BesselTables.h.

#include <ATen/native/BesselSeries.h>
#include <ATen/native/BesselTables.h>
#include <c10/macros/Macros.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

namespace at::native::bessel {

template <bool Short>
struct ScalarMath {
  using V = double;
  static constexpr bool kShort = Short;
  C10_HOST_DEVICE static V abs(V x) { return std::abs(x); }
  C10_HOST_DEVICE static V cos(V x) { return std::cos(x); }
  C10_HOST_DEVICE static V exp(V x) { return std::exp(x); }
  C10_HOST_DEVICE static V fma(V a, V b, V c) { return a * b + c; }
  C10_HOST_DEVICE static V log(V x) { return std::log(x); }
  C10_HOST_DEVICE static V sin(V x) { return std::sin(x); }
  C10_HOST_DEVICE static V sqrt(V x) { return std::sqrt(x); }
  C10_HOST_DEVICE static bool any(bool mask) { return mask; }
  C10_HOST_DEVICE static bool all(bool mask) { return mask; }
  C10_HOST_DEVICE static V splat(double value) { return value; }
};

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kInversePi = std::numbers::inv_pi;
constexpr double kNearEnd = 8;  // where the polynomials for J and Y end
constexpr double kSmallEnd = 2; // where those for K end
constexpr double kAiryLow = -4, kAiryHigh = 2;

template <typename Math, const auto& table, size_t... K>
C10_HOST_DEVICE inline typename Math::V horner(typename Math::V s, std::index_sequence<K...>) {
  constexpr size_t kLast = sizeof...(K);
  auto sum = Math::splat(Term<table, kLast>::value);
  ((sum = Math::fma(sum, s, Math::splat(Term<table, kLast - 1 - K>::value))), ...);
  return sum;
}
template <typename Math, const auto& whole, const auto& brief>
C10_HOST_DEVICE inline typename Math::V polynomial(typename Math::V s) {
  if constexpr (Math::kShort) {
    return horner<Math, brief>(s, std::make_index_sequence<sizeof(brief) / sizeof(double) - 1>());
  } else {
    return horner<Math, whole>(s, std::make_index_sequence<sizeof(whole) / sizeof(double) - 1>());
  }
}
#define AT_POLYNOMIAL(name, s) polynomial<Math, k##name, k##name##Short>(s)

// near(x) where the mask holds, else far(x); each is computed only if some lane needs it.
template <typename Math, typename V, typename Mask, typename Near, typename Far>
C10_HOST_DEVICE inline V either(const Mask& mask, V x, const Near& near, const Far& far) {
  if (!Math::any(mask)) {
    return far(x);
  }
  const V first = near(x);
  if (Math::all(mask)) {
    return first;
  }
  const V second = far(x);
  return mask ? first : second;
}

// x^2 less the square of a zero, which is the sum of two doubles.
template <typename V>
C10_HOST_DEVICE inline V square_less(V x, double zero, double rest) {
  return ((x - zero) - rest) * (x + zero);
}

// ---- J and Y ------------------------------------------------------------------------------------

// The squares' differences remove the zeros below 8.
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V near_j0(V x) {
  const V zeros =
      square_less(x, kZeroJ0, kZeroJ0Rest) * square_less(x, kNextZeroJ0, kNextZeroJ0Rest);
  return zeros * AT_POLYNOMIAL(NearJ0, x * x * (1.0 / 32) - 1.0);
}
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V near_j1(V x) {
  const V zeros =
      square_less(x, kZeroJ1, kZeroJ1Rest) * square_less(x, kNextZeroJ1, kNextZeroJ1Rest);
  return x * (zeros * AT_POLYNOMIAL(NearJ1, x * x * (1.0 / 32) - 1.0));
}

// (P cos(c) - Q sin(c)) / sqrt(pi x / 2) for c = x - pi/4 or x - 3 pi/4, or with c - pi/2 for c.
template <typename Math, int kOrder, bool kSecond, typename V = typename Math::V>
C10_HOST_DEVICE inline V far_wave(V x) {
  const V ratio = kNearEnd / x;
  const V s = 2.0 * ratio * ratio - 1.0;
  V p, q;
  if constexpr (kOrder == 0) {
    p = AT_POLYNOMIAL(FarP0, s), q = ratio * AT_POLYNOMIAL(FarQ0, s);
  } else {
    p = AT_POLYNOMIAL(FarP1, s), q = ratio * AT_POLYNOMIAL(FarQ1, s);
  }
  // sqrt(2) cos(c) and sqrt(2) sin(c), by the addition theorems
  const V sine = Math::sin(x), cosine = Math::cos(x);
  const V c = kOrder == 0 ? cosine + sine : sine - cosine;
  const V d = kOrder == 0 ? sine - cosine : -cosine - sine;
  const V wave = kSecond ? p * d + q * c : p * c - q * d;
  return wave / Math::sqrt(x * std::numbers::pi);
}

template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V j0(V x) {
  const V a = Math::abs(x);
  return either<Math>(
      a < kNearEnd, a, [](V y) { return near_j0<Math>(y); },
      [](V y) { return far_wave<Math, 0, false>(y); });
}
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V j1(V x) {
  return either<Math>(
      Math::abs(x) < kNearEnd, x, [](V y) { return near_j1<Math>(y); },
      [](V y) {
        const V result = far_wave<Math, 1, false>(Math::abs(y));
        return y < 0.0 ? -result : result;
      });
}
// The logarithm is -infinity at 0 and NaN below.
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V y0(V x) {
  return either<Math>(
      x < kNearEnd, x,
      [](V y) {
        return 2 * kInversePi * Math::log(y) * near_j0<Math>(y) +
            AT_POLYNOMIAL(NearY0, y * y * (1.0 / 32) - 1.0);
      },
      [](V y) { return far_wave<Math, 0, true>(y); });
}
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V y1(V x) {
  return either<Math>(
      x < kNearEnd, x,
      [](V y) {
        const V rest = y * AT_POLYNOMIAL(NearY1, y * y * (1.0 / 32) - 1.0);
        const V result = 2 * kInversePi * (Math::log(y) * near_j1<Math>(y) - 1.0 / y) + rest;
        return y == 0.0 ? Math::splat(-kInfinite) : result;
      },
      [](V y) { return far_wave<Math, 1, true>(y); });
}

// ---- K ------------------------------------------------------------------------------------------

template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V near_k0(V x) {
  const V s = x * x * 0.5 - 1.0;
  return AT_POLYNOMIAL(NearK0, s) - Math::log(x) * AT_POLYNOMIAL(NearI0, s);
}
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V near_k1(V x) {
  const V s = x * x * 0.5 - 1.0;
  const V result =
      1.0 / x + x * (Math::log(x) * AT_POLYNOMIAL(NearI1, s) + AT_POLYNOMIAL(NearK1, s));
  return x == 0.0 ? Math::splat(kInfinite) : result;
}
template <typename Math, int kOrder, typename V = typename Math::V>
C10_HOST_DEVICE inline V scaled_far_k(V x) {
  const V s = 2 * kSmallEnd / x - 1.0;
  const V root = Math::sqrt(x);
  if constexpr (kOrder == 0) {
    return AT_POLYNOMIAL(FarK0, s) / root;
  } else {
    return AT_POLYNOMIAL(FarK1, s) / root;
  }
}

template <typename Math, int kOrder, typename V = typename Math::V>
C10_HOST_DEVICE inline V near_k(V x) {
  if constexpr (kOrder == 0) {
    return near_k0<Math>(x);
  } else {
    return near_k1<Math>(x);
  }
}
template <typename Math, int kOrder, typename V = typename Math::V>
C10_HOST_DEVICE inline V k(V x) {
  return either<Math>(
      x <= kSmallEnd, x, [](V y) { return near_k<Math, kOrder>(y); },
      [](V y) { return Math::exp(-y) * scaled_far_k<Math, kOrder>(y); });
}
// exp(x) K(x)
template <typename Math, int kOrder, typename V = typename Math::V>
C10_HOST_DEVICE inline V scaled_k(V x) {
  return either<Math>(
      x <= kSmallEnd, x, [](V y) { return Math::exp(y) * near_k<Math, kOrder>(y); },
      [](V y) { return scaled_far_k<Math, kOrder>(y); });
}

// ---- Ai, and sin(x) / x -------------------------------------------------------------------------

template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V airy_falling(V x) {
  const V root = Math::sqrt(x);
  const V z = x * root * (2.0 / 3);
  const V s = 2 * kAiryAngleHigh / z - 1.0;
  return Math::exp(-z) / Math::sqrt(root) * AT_POLYNOMIAL(AiryFalling, s);
}
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V airy_wave(V x) {
  const V root = Math::sqrt(-x);
  const V z = -x * root * (2.0 / 3);
  const V ratio = kAiryAngleLow / z;
  const V s = 2.0 * ratio * ratio - 1.0;
  const V p = AT_POLYNOMIAL(AiryP, s), q = ratio * AT_POLYNOMIAL(AiryQ, s);
  // p sin(z + pi/4) - q cos(z + pi/4)
  const V sine = Math::sin(z), cosine = Math::cos(z);
  const V wave = p * (sine + cosine) - q * (cosine - sine);
  return wave / Math::sqrt(root * (2 * std::numbers::pi));
}
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V airy_middle(V x) {
  constexpr double kHalf = (kAiryHigh - kAiryLow) / 2, kMiddle = (kAiryHigh + kAiryLow) / 2;
  const V s = (x - kMiddle) * (1 / kHalf);
  return ((x - kZeroAiry) - kZeroAiryRest) * AT_POLYNOMIAL(AiryMiddle, s);
}
template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V airy(V x) {
  return either<Math>(
      x <= kAiryHigh, x,
      [](V y) {
        return either<Math>(
            y < kAiryLow, y, [](V w) { return airy_wave<Math>(w); },
            [](V w) { return airy_middle<Math>(w); });
      },
      [](V y) { return airy_falling<Math>(y); });
}

template <typename Math, typename V = typename Math::V>
C10_HOST_DEVICE inline V spherical_j0(V x) {
  const V result = Math::sin(x) / x;
  const V limit = x == 0.0 ? Math::splat(1.0) : result;
  return Math::abs(x) == kInfinite ? Math::splat(0.0) : limit;
}

#undef AT_POLYNOMIAL

} // namespace at::native::bessel
