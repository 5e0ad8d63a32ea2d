#pragma once

#include <ATen/native/cpu/TransposedCopy.h>

#include <cstdint>
#include <utility>

// Registers of complex numbers, and where Fourier transforms load and store them.

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
struct FftValue {
  Lanes<T> re, im;
};

template <typename T>
C10_ALWAYS_INLINE FftValue<T> times(FftValue<T> x, Lanes<T> re, Lanes<T> im) {
  return {at::vec::fma(x.re, re, -(x.im * im)), at::vec::fma(x.re, im, x.im * re)};
}
template <typename T>
C10_ALWAYS_INLINE FftValue<T> times(FftValue<T> x, const T* factor) {
  return times(x, splat(factor[0]), splat(factor[1]));
}
template <typename T>
C10_ALWAYS_INLINE FftValue<T> sum_of(FftValue<T> x, FftValue<T> y) {
  return {x.re + y.re, x.im + y.im};
}
template <typename T>
C10_ALWAYS_INLINE FftValue<T> difference_of(FftValue<T> x, FftValue<T> y) {
  return {x.re - y.re, x.im - y.im};
}
template <typename T>
C10_ALWAYS_INLINE FftValue<T> by_minus_i(FftValue<T> x) {
  return {x.im, -x.re};
}
template <typename T>
C10_ALWAYS_INLINE FftValue<T> scaled(FftValue<T> x, T scale) {
  return {x.re * scale, x.im * scale};
}
// Exchanging real and imaginary parts before and after a transform reverses its direction.
template <typename T>
C10_ALWAYS_INLINE FftValue<T> exchanged_if(bool exchange, FftValue<T> x) {
  return exchange ? FftValue<T>{x.im, x.re} : x;
}

// A buffer in which the registers of real and of imaginary parts alternate.
template <typename T>
struct FftRows {
  static constexpr int64_t kStep = 2 * kLanes<T>;
  T* start;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t row) const {
    const T* at = start + row * kStep;
    return {load_lanes<T>(at), load_lanes<T>(at + kLanes<T>)};
  }
  C10_ALWAYS_INLINE void store(int64_t row, FftValue<T> value) const {
    T* at = start + row * kStep;
    store_lanes<T>(at, value.re);
    store_lanes<T>(at + kLanes<T>, value.im);
  }
};

// Lines of real numbers that lie next to each other.
template <typename T>
struct FftRealLines {
  const T* start;
  int64_t step;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t row) const {
    return {load_lanes<T>(start + row * step), Lanes<T>{}};
  }
};

// Lines of complex numbers that lie next to each other in the lower and the upper half of the
// lanes. Rows are too far apart for a processor to foresee which it has to fetch from memory: each
// load requests what lies `ahead`.
template <typename T>
struct FftAdjacentLines {
  T *low, *high;
  int64_t step;
  bool exchange;
  T scale;
  int64_t ahead = 0;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t row) const {
    const T *const from_low = low + row * step, *const from_high = high + row * step;
    __builtin_prefetch(from_low + ahead, 0, 2);
    __builtin_prefetch(from_high + ahead, 0, 2);
    Lanes<T> a = load_lanes<T>(from_low), b = load_lanes<T>(from_high);
    separate_registers<T>(a, b);
    return exchanged_if(exchange, FftValue<T>{a, b});
  }
  C10_ALWAYS_INLINE void store(int64_t row, FftValue<T> value) const {
    auto [a, b] = exchanged_if(exchange, scale == 1 ? value : scaled(value, scale));
    interleave_registers<T>(a, b);
    store_lanes<T>(low + row * step, a);
    store_lanes<T>(high + row * step, b);
  }
};

} // namespace CPU_CAPABILITY
} // namespace at::native
