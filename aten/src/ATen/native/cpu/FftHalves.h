#pragma once

#include <ATen/native/cpu/FftLines.h>
#include <ATen/native/cpu/FftSquares.h>

#include <algorithm>
#include <cstdint>
#include <utility>

// The steps between a transform of real numbers and one of half as many complex numbers.

namespace at::native {
inline namespace CPU_CAPABILITY {

// An even number of real numbers is transformed as half as many complex ones, z. With E and O the
// transforms of the numbers at even and odd places, X_k = E_k + w^k O_k, where z's transform is
// Z_k = E_k + i O_k, and both are Hermitian. From a = Z_k and b = Z_(half - k) follow X_k and
// X_(half - k).
template <typename T>
C10_ALWAYS_INLINE std::pair<FftValue<T>, FftValue<T>> separated_halves(
    FftValue<T> a, FftValue<T> b, Lanes<T> root_re, Lanes<T> root_im) {
  const FftValue<T> even{(a.re + b.re) * T(0.5), (a.im - b.im) * T(0.5)};
  const FftValue<T> odd{(a.im + b.im) * T(0.5), (b.re - a.re) * T(0.5)};
  const FftValue<T> turned = times(odd, root_re, root_im);
  return {sum_of(even, turned), {even.re - turned.re, turned.im - even.im}};
}

// The opposite, without halving.
template <typename T>
C10_ALWAYS_INLINE std::pair<FftValue<T>, FftValue<T>> joined_halves(
    FftValue<T> a, FftValue<T> b, Lanes<T> root_re, Lanes<T> root_im) {
  const FftValue<T> even{a.re + b.re, a.im - b.im};
  const FftValue<T> odd = times(FftValue<T>{a.re - b.re, a.im + b.im}, root_re, -root_im);
  return {{even.re - odd.im, even.im + odd.re}, {even.re + odd.im, odd.re - even.im}};
}

template <typename T>
void separate_halves(FftRows<T> z, int64_t half, const T* roots, FftRows<T> out) {
  for (int64_t k = 0; k <= half / 2; ++k) {
    const auto [x, mirrored] = separated_halves<T>(
        z.load(k), z.load(k == 0 ? 0 : half - k), splat(roots[2 * k]), splat(roots[2 * k + 1]));
    out.store(k, x);
    out.store(half - k, mirrored);
  }
}

template <typename T>
void join_halves(FftRows<T> x, int64_t half, const T* roots, bool exchange) {
  for (int64_t k = 0; k <= half / 2; ++k) {
    FftValue<T> a = x.load(k), b = x.load(half - k);
    if (k == 0) { // these two are real
      a.im = b.im = Lanes<T>{};
    }
    const auto [z, mirrored] = joined_halves<T>(a, b, splat(roots[2 * k]), splat(roots[2 * k + 1]));
    if (k != 0) {
      x.store(half - k, exchanged_if(exchange, mirrored));
    }
    x.store(k, exchanged_if(exchange, z));
  }
}

// One register of the numbers of a line that begin at `first`, in the opposite order if kReversed.
template <typename T, bool kReversed>
C10_ALWAYS_INLINE FftValue<T> load_numbers(const FftLine<T>& line, int64_t first) {
  constexpr int L = kLanes<T>;
  const T* const from = line.base + first * line.step;
  FftValue<T> x;
  if (line.dense()) {
    x = {load_lanes<T>(from), load_lanes<T>(from + L)};
    separate_registers<T, kReversed>(x.re, x.im);
    return x;
  }
  for (int l = 0; l < L; ++l) {
    const T* const number = from + (kReversed ? L - 1 - l : l) * line.step;
    x.re[l] = number[0];
    x.im[l] = number[line.im];
  }
  return x;
}
template <typename T, bool kReversed>
C10_ALWAYS_INLINE void store_numbers(const FftLine<T>& line, int64_t first, FftValue<T> x) {
  constexpr int L = kLanes<T>;
  T* const to = line.base + first * line.step;
  if (line.dense()) {
    interleave_registers<T, kReversed>(x.re, x.im);
    store_lanes<T>(to, x.re);
    store_lanes<T>(to + L, x.im);
    return;
  }
  for (int l = 0; l < L; ++l) {
    T* const number = to + (kReversed ? L - 1 - l : l) * line.step;
    number[0] = x.re[l];
    number[line.im] = x.im[l];
  }
}

// The same for one line: makes numbers k and half - k from those of another line, for
// 0 < k <= half / 2. A register holds consecutive values of k; long lines fill it.
template <typename T, typename Merge>
void merge_halves(
    const FftLine<T>& from, const FftLine<T>& to, int64_t half, const T* roots, Merge merge) {
  constexpr int64_t L = kLanes<T>;
  const FftLine<T> turns{const_cast<T*>(roots), 2, 1}; // only read
  const int64_t middle = half / 2;
  // From the second on, registers lie at whole cache lines, for which the first two may overlap.
  const auto skew = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to.base) / (2 * sizeof(T)));
  const int64_t second = L + 1 - (skew + 1) % (L / 2);
  for (int64_t k = 1; k <= middle; k = k == 1 ? second : k + L) {
    const int64_t first = std::min(k, middle + 1 - L), mirror = half - first - (L - 1);
    const FftValue<T> root = load_numbers<T, false>(turns, first);
    const auto [x, y] = merge(
        load_numbers<T, false>(from, first), load_numbers<T, true>(from, mirror), root.re, root.im);
    store_numbers<T, false>(to, first, x);
    store_numbers<T, true>(to, mirror, y);
  }
}

// Separates the transform of a line whose numbers lie in rows: number k of row r meets numbers of
// the r-th row from the end and the first of the row after that. A multiple of two rows.
template <typename T>
void separate_line(FftRows<T> z, const FftLine<T>& to, int64_t half, const T* roots, T scale) {
  constexpr int L = kLanes<T>;
  const int64_t rows = half / L;
  const FftLine<T> turns{const_cast<T*>(roots), 2, 1}; // only read
  for (int64_t r = 0; r < rows / 2; ++r) {
    const FftValue<T> rest = z.load(rows - 1 - r), firsts = z.load(r == 0 ? 0 : rows - r);
    const FftValue<T> b{mirrored<T, L>(rest.re, firsts.re), mirrored<T, L>(rest.im, firsts.im)};
    const FftValue<T> root = load_numbers<T, false>(turns, r * L);
    const auto [x, y] = separated_halves<T>(z.load(r), b, root.re, root.im);
    store_numbers<T, false>(to, r * L, scaled(x, scale));
    store_numbers<T, true>(to, half - r * L - (L - 1), scaled(y, scale));
  }
  const FftValue<T> middle = z.load(rows / 2);
  to.base[half] = middle.re[0] * scale;
  to.base[half + 1] = -middle.im[0] * scale;
  to.base[1] = to.base[2 * half + 1] = 0;
}

} // namespace CPU_CAPABILITY
} // namespace at::native
