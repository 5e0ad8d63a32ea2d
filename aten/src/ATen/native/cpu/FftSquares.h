#pragma once

#include <ATen/native/cpu/FftOffsets.h>
#include <ATen/native/cpu/FftPasses.h>

#include <algorithm>

// Transforms that stay in registers, of squares of R * R complex numbers. Register j holds row j of
// several squares, each in R of its lanes.

namespace at::native {
inline namespace CPU_CAPABILITY {

// The largest R whose rows fit in a register, if any.
template <typename T>
constexpr int kLargestSquare = kLanes<T> >= 8 ? 8 : kLanes<T> / 4 * 4;

// A register whose halves lie apart in memory.
template <typename T>
C10_ALWAYS_INLINE Lanes<T> load_joined(const T* low, const T* high) {
  constexpr int kHalf = kLanes<T> / 2;
  const auto a = at::vec::load<T, kHalf>(low), b = at::vec::load<T, kHalf>(high);
  return [&]<int... j>(std::integer_sequence<int, j...>)->Lanes<T> {
    return __builtin_shufflevector(a, b, j...);
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}
template <typename T>
C10_ALWAYS_INLINE void store_divided(T* low, T* high, Lanes<T> x) {
  constexpr int kHalf = kLanes<T> / 2;
  [&]<int... j>(std::integer_sequence<int, j...>) {
    at::vec::store<T, kHalf>(low, __builtin_shufflevector(x, x, j...));
    at::vec::store<T, kHalf>(high, __builtin_shufflevector(x, x, (kHalf + j)...));
  }
  (std::make_integer_sequence<int, kHalf>{});
}

// As many squares of complex numbers as fill the registers, each without gaps in memory.
template <typename T, int R>
struct FftSquares {
  static constexpr int kCount = kLanes<T> / R;
  T* first;
  int64_t apart;

  C10_ALWAYS_INLINE T* at(int square, int row) const {
    return first + square * apart + 2 * R * row;
  }

  C10_ALWAYS_INLINE FftValue<T> load(int row) const {
    Lanes<T> a, b;
    if constexpr (kCount == 4) {
      a = load_joined(at(0, row), at(1, row));
      b = load_joined(at(2, row), at(3, row));
    } else {
      a = load_lanes<T>(at(0, row));
      b = load_lanes<T>(kCount == 1 ? at(0, row) + kLanes<T> : at(kCount - 1, row));
    }
    separate_registers<T>(a, b);
    return {a, b};
  }
  C10_ALWAYS_INLINE void store(int row, FftValue<T> x) const {
    interleave_registers<T>(x.re, x.im);
    if constexpr (kCount == 4) {
      store_divided<T>(at(0, row), at(1, row), x.re);
      store_divided<T>(at(2, row), at(3, row), x.im);
    } else {
      store_lanes<T>(at(0, row), x.re);
      store_lanes<T>(kCount == 1 ? at(0, row) + kLanes<T> : at(kCount - 1, row), x.im);
    }
  }
};

// Transforms squares whose rows follow each other as lines: number R j + lane becomes frequency
// R row + lane. `turns` are those of the plan.
template <typename T, int R>
C10_ALWAYS_INLINE void transform_lines(FftValue<T> (&v)[R], const T* turns) {
  constexpr int64_t kTurns = FftPlan<T>::kTurns;
  butterfly<T, R>(v, R, nullptr);
#pragma GCC unroll 8
  for (int k = 1; k < R; ++k) {
    const T* const turn = turns + (k - 1) * 2 * kTurns;
    v[k] = times<T>(v[k], load_lanes<T>(turn), load_lanes<T>(turn + kTurns));
  }
  transpose_squares<T, R>(v);
  butterfly<T, R>(v, R, nullptr);
}

// Transforms squares along both axes.
template <typename T, int R>
C10_ALWAYS_INLINE void transform_planes(FftValue<T> (&v)[R]) {
  butterfly<T, R>(v, R, nullptr);
  transpose_squares<T, R>(v);
  butterfly<T, R>(v, R, nullptr);
  transpose_squares<T, R>(v);
}

// Transforms squares of `in` by `transform`.
template <typename T, int R, typename Transform>
C10_ALWAYS_INLINE void transform_squares(
    const FftSquares<T, R>& in, const FftSquares<T, R>& out, bool inverse, T scale,
    const Transform& transform) {
  FftValue<T> v[R];
#pragma GCC unroll 8
  for (int j = 0; j < R; ++j) {
    v[j] = exchanged_if(inverse, in.load(j));
  }
  transform(v);
  if (scale != 1) {
#pragma GCC unroll 8
    for (int j = 0; j < R; ++j) {
      v[j] = scaled(v[j], scale);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < R; ++j) {
    out.store(j, exchanged_if(inverse, v[j]));
  }
}

// Number j of the result is number (R - j) mod R of a square's row: the first of `firsts`, and the
// last ones of `rest`.
template <typename T, int R>
C10_ALWAYS_INLINE Lanes<T> mirrored(Lanes<T> rest, Lanes<T> firsts) {
  return [&]<int... j>(std::integer_sequence<int, j...>) {
    constexpr auto from = [](int lane) {
      return lane % R == 0 ? kLanes<T> + lane : lane - 2 * (lane % R) + R;
    };
    return __builtin_shufflevector(rest, firsts, from(j)...);
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

// Transforms real lines in pairs, x and y, as z = x + i y. From Z_k and Z_(-k) follow X_k and Y_k:
// half of their sums and differences.
template <typename T, int R>
C10_ALWAYS_INLINE void transform_real_lines(
    const FftSquares<T, R> (&in)[2], const FftSquares<T, R> (&out)[2], const T* turns, T scale) {
  constexpr int kCount = FftSquares<T, R>::kCount;
  FftValue<T> z[R];
#pragma GCC unroll 8
  for (int j = 0; j < R; ++j) {
    const auto load = [j](const FftSquares<T, R>& lines) {
      const T* const from = lines.first + R * j;
      if constexpr (kCount == 1) {
        return load_lanes<T>(from);
      } else {
        static_assert(kCount == 2);
        return load_joined<T>(from, from + lines.apart);
      }
    };
    z[j] = {load(in[0]), load(in[1])};
  }
  transform_lines<T, R>(z, turns);
  const T half = scale / 2;
#pragma GCC unroll 8
  for (int k = 0; k < R / 2; ++k) {
    const FftValue<T> a = z[k], rest = z[R - 1 - k], firsts = z[(R - k) % R];
    const FftValue<T> b{mirrored<T, R>(rest.re, firsts.re), mirrored<T, R>(rest.im, firsts.im)};
    out[0].store(k, {(a.re + b.re) * half, (a.im - b.im) * half});
    out[1].store(k, {(a.im + b.im) * half, (b.re - a.re) * half});
  }
  for (int l = 0; l < kCount; ++l) { // the frequency in the middle is real
    T *const x = out[0].at(l, R / 2), *const y = out[1].at(l, R / 2);
    x[0] = z[R / 2].re[R * l] * scale;
    y[0] = z[R / 2].im[R * l] * scale;
    x[1] = y[1] = 0;
  }
}

// Calls run(ins, outs) for arrays of kGroups registers' worth of squares that cover squares `begin`
// to `end`; a square has kEach lines. Left over ones come alone, in all places.
template <typename T, int R, int kGroups, int kEach, typename Run>
C10_ALWAYS_INLINE void for_squares(
    const FftAxis& axis, int64_t begin, int64_t end, const Run& run) {
  using Squares = FftSquares<T, R>;
  constexpr int64_t kCount = Squares::kCount;
  LineOffsets offsets(axis, begin * kEach);
  const int64_t in_apart = kEach * offsets.in_apart(), out_apart = kEach * offsets.out_apart();
  while (begin < end) {
    const int64_t count = std::min(end - begin, offsets.run() / kEach);
    T* from = static_cast<T*>(const_cast<void*>(axis.in)) + offsets.in(); // only read
    T* to = static_cast<T*>(axis.out) + offsets.out();
    for (int64_t left = count; left > 0;) {
      const int64_t taken = left >= kGroups * kCount ? kGroups * kCount : 1;
      const int64_t in_step = taken == 1 ? 0 : in_apart, out_step = taken == 1 ? 0 : out_apart;
      Squares ins[kGroups], outs[kGroups];
      for (int g = 0; g < kGroups; ++g) {
        ins[g] = {from + g * kCount * in_step, in_step};
        outs[g] = {to + g * kCount * out_step, out_step};
      }
      run(ins, outs);
      from += taken * in_apart;
      to += taken * out_apart;
      left -= taken;
    }
    offsets.advance(count * kEach);
    begin += count;
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
