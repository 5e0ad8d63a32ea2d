#pragma once

// Orthogonal polynomials of degree n at x by their recurrences (Abramowitz and Stegun 22.7), which
// are exact to rounding where |x| <= 1. Chebyshev's have sums of angles in place of long
// recurrences there (22.3). A degree below 0 gives 0.

#include <c10/macros/Macros.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace at::native::polynomials {

// A family: the value of degree 1, and p_(k+1) from p_k and p_(k-1). V is T or a vector of it.

struct Chebyshev {
  template <typename V, typename T>
  C10_HOST_DEVICE static V next(T, V x, V p, V before) {
    return (x + x) * p - before;
  }
};
struct ChebyshevT : Chebyshev {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T) {
    return x;
  }
  template <typename T>
  C10_HOST_DEVICE static T of_angle(T n, T angle) {
    return std::cos(n * angle);
  }
};
struct ChebyshevU : Chebyshev {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T) {
    return x + x;
  }
  template <typename T>
  C10_HOST_DEVICE static T of_angle(T n, T angle) {
    return std::sin((n + T(1)) * angle) / std::sin(angle);
  }
};
struct ChebyshevV : Chebyshev {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T one) {
    return x + x - one;
  }
  template <typename T>
  C10_HOST_DEVICE static T of_angle(T n, T angle) {
    return std::cos((n + T(0.5)) * angle) / std::cos(angle / T(2));
  }
};
struct ChebyshevW : Chebyshev {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T one) {
    return x + x + one;
  }
  template <typename T>
  C10_HOST_DEVICE static T of_angle(T n, T angle) {
    return std::sin((n + T(0.5)) * angle) / std::sin(angle / T(2));
  }
};
// The physicists' and the probabilists'
struct HermiteH {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T) {
    return x + x;
  }
  template <typename V, typename T>
  C10_HOST_DEVICE static V next(T k, V x, V p, V before) {
    return (x + x) * p - (k + k) * before;
  }
};
struct HermiteHe {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T) {
    return x;
  }
  template <typename V, typename T>
  C10_HOST_DEVICE static V next(T k, V x, V p, V before) {
    return x * p - k * before;
  }
};
struct LaguerreL {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T one) {
    return one - x;
  }
  template <typename V, typename T>
  C10_HOST_DEVICE static V next(T k, V x, V p, V before) {
    const T scale = T(1) / (k + T(1));
    return ((k + k + T(1) - x) * p - k * before) * scale;
  }
};
struct LegendreP {
  template <typename V, typename T>
  C10_HOST_DEVICE static V second(V x, T) {
    return x;
  }
  template <typename V, typename T>
  C10_HOST_DEVICE static V next(T k, V x, V p, V before) {
    const T scale = T(1) / (k + T(1));
    return ((k + k + T(1)) * x * p - k * before) * scale;
  }
};

// The degree that a number stands for, or -1.
template <typename T>
C10_HOST_DEVICE inline int64_t degree(T n) {
  return n > T(-1) && n < T(9e18) ? static_cast<int64_t>(n) : -1;
}

template <typename Family, typename T>
C10_HOST_DEVICE inline T recur(T x, int64_t n) {
  if (n < 1) {
    return n == 0 ? T(1) : T(0);
  }
  T before = T(1), current = Family::second(x, T(1));
  for (int64_t k = 1; k < n && current == current; ++k) {
    const T following = Family::next(static_cast<T>(k), x, current, before);
    before = current;
    current = following;
  }
  return current;
}

// Longer recurrences of Chebyshev's take more time than the functions of an angle.
constexpr int64_t kLongRecurrence = 24;

template <typename Family, typename T>
C10_HOST_DEVICE inline T polynomial(T x, T number) {
  const int64_t n = degree(number);
  if constexpr (std::is_base_of_v<Chebyshev, Family>) {
    if (n > kLongRecurrence && std::abs(x) < T(1)) {
      return Family::of_angle(static_cast<T>(n), std::acos(x));
    }
  }
  return recur<Family>(x, n);
}

// Those that are orthogonal on [0, 1].
template <typename Family, typename T>
C10_HOST_DEVICE inline T shifted(T x, T number) {
  return polynomial<Family>(x + x - T(1), number);
}

} // namespace at::native::polynomials
