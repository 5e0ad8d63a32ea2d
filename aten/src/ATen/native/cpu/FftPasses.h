#pragma once

#include <ATen/native/FftPlan.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <algorithm>
#include <numbers>
#include <utility>

// Transforms of as many lines as a register has lanes. Number j of all lines is one register of
// real and one of imaginary parts, so no step of a transform mixes lanes.

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
// Exchanging real and imaginary parts before and after a transform reverses its direction.
template <typename T>
C10_ALWAYS_INLINE FftValue<T> exchanged_if(bool exchange, FftValue<T> x) {
  return exchange ? FftValue<T>{x.im, x.re} : x;
}

// ---- where the passes find numbers and put them -------------------------------------------------

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

template <typename T>
C10_ALWAYS_INLINE Lanes<T> reversed_register(Lanes<T> x) {
  return [&]<int... j>(std::integer_sequence<int, j...>) {
    return __builtin_shufflevector(x, x, (kLanes<T> - 1 - j)...);
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

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
    auto [a, b] = exchanged_if(exchange, FftValue<T>{value.re * scale, value.im * scale});
    interleave_registers<T>(a, b);
    store_lanes<T>(low + row * step, a);
    store_lanes<T>(high + row * step, b);
  }
};

// ---- passes -------------------------------------------------------------------------------------

// The transform of `radix` numbers in place. For odd radices, the sums and differences of numbers
// at equal distances from the ends halve the products.
template <typename T, int kRadix>
C10_ALWAYS_INLINE void butterfly(FftValue<T>* x, [[maybe_unused]] int radix, const T* roots) {
  if constexpr (kRadix == 2) {
    const FftValue<T> a = x[0], b = x[1];
    x[0] = sum_of(a, b);
    x[1] = difference_of(a, b);
  } else if constexpr (kRadix == 4) {
    const auto a = sum_of(x[0], x[2]), b = difference_of(x[0], x[2]);
    const auto c = sum_of(x[1], x[3]), d = by_minus_i(difference_of(x[1], x[3]));
    x[0] = sum_of(a, c);
    x[1] = sum_of(b, d);
    x[2] = difference_of(a, c);
    x[3] = difference_of(b, d);
  } else if constexpr (kRadix == 8) {
    constexpr T kHalfRoot = static_cast<T>(std::numbers::sqrt2 / 2);
    FftValue<T> even[4], odd[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      even[j] = sum_of(x[j], x[j + 4]);
      odd[j] = difference_of(x[j], x[j + 4]);
    }
    const auto first = odd[1], third = odd[3];
    odd[1] = {(first.re + first.im) * kHalfRoot, (first.im - first.re) * kHalfRoot};
    odd[2] = by_minus_i(odd[2]);
    odd[3] = {(third.im - third.re) * kHalfRoot, (third.re + third.im) * -kHalfRoot};
    butterfly<T, 4>(even, 4, roots);
    butterfly<T, 4>(odd, 4, roots);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      x[2 * j] = even[j];
      x[2 * j + 1] = odd[j];
    }
  } else {
    constexpr int kHalf = kRadix == 0 ? kMaxRadix / 2 : kRadix / 2;
    const int count = kRadix == 0 ? radix : kRadix;
    const int half = kRadix == 0 ? radix / 2 : kHalf;
    FftValue<T> sums[kHalf], differences[kHalf];
    const FftValue<T> first = x[0];
    FftValue<T> all = first;
#pragma GCC unroll 4
    for (int j = 0; j < half; ++j) {
      sums[j] = sum_of(x[j + 1], x[count - 1 - j]);
      differences[j] = difference_of(x[j + 1], x[count - 1 - j]);
      all = sum_of(all, sums[j]);
    }
    x[0] = all;
#pragma GCC unroll 4
    for (int k = 1; k <= half; ++k) {
      FftValue<T> even = first, odd{};
#pragma GCC unroll 4
      for (int j = 0; j < half; ++j) {
        const int power = (j + 1) * k % count;
        const Lanes<T> c = splat(roots[2 * power]), s = splat(roots[2 * power + 1]);
        even = {at::vec::fma(sums[j].re, c, even.re), at::vec::fma(sums[j].im, c, even.im)};
        odd = {
            at::vec::fma(-differences[j].im, s, odd.re),
            at::vec::fma(differences[j].re, s, odd.im)};
      }
      x[k] = sum_of(even, odd);
      x[count - k] = difference_of(even, odd);
    }
  }
}

// Row stride (radix p + k) + q of the target becomes w^(p k) X_k, where X is the transform of rows
// stride (p + groups j) + q of the source.
template <typename T, int kRadix, class Source, class Target>
void run_pass(
    const FftPlan<T>& plan, const FftPass& pass, int64_t stride, const Source& source,
    const Target& target) {
  const int radix = kRadix == 0 ? pass.radix : kRadix;
  const T* roots = plan.tables.data() + pass.roots;
  const T* twiddle = plan.tables.data() + pass.twiddles;
  const int64_t apart = stride * pass.groups;
  const auto run_group = [&](int64_t p, const auto& turned) {
    for (int64_t q = 0; q < stride; ++q) {
      FftValue<T> v[kRadix == 0 ? kMaxRadix : kRadix];
      v[0] = source.load(stride * p + q);
#pragma GCC unroll 8
      for (int j = 1; j < radix; ++j) {
        v[j] = source.load(stride * p + q + apart * j);
      }
      butterfly<T, kRadix>(v, radix, roots);
      const int64_t to = stride * radix * p + q;
      target.store(to, v[0]);
#pragma GCC unroll 8
      for (int k = 1; k < radix; ++k) {
        target.store(to + stride * k, turned(v[k], k));
      }
    }
  };
  run_group(0, [](FftValue<T> x, int) { return x; });
  for (int64_t p = 1; p < pass.groups; ++p) {
    twiddle += 2 * (radix - 1);
    run_group(p, [&](FftValue<T> x, int k) { return times(x, twiddle + 2 * (k - 1)); });
  }
}

template <typename T, class Source, class Target>
void run_pass(
    const FftPlan<T>& plan, const FftPass& pass, int64_t stride, const Source& source,
    const Target& target) {
  switch (pass.radix) {
    case 2:
      return run_pass<T, 2>(plan, pass, stride, source, target);
    case 3:
      return run_pass<T, 3>(plan, pass, stride, source, target);
    case 4:
      return run_pass<T, 4>(plan, pass, stride, source, target);
    case 5:
      return run_pass<T, 5>(plan, pass, stride, source, target);
    case 8:
      return run_pass<T, 8>(plan, pass, stride, source, target);
    default:
      return run_pass<T, 0>(plan, pass, stride, source, target);
  }
}

// ---- transforms ---------------------------------------------------------------------------------

// The first `count` passes of a forward transform. Buffer x may not be the source, y may. Returns
// the buffer with the result.
template <typename T, class Source>
FftRows<T> run_passes(
    const FftPlan<T>& plan, size_t count, const Source& source, FftRows<T> x, FftRows<T> y) {
  if (count == 0) {
    for (int64_t j = 0; j < plan.length; ++j) {
      x.store(j, source.load(j));
    }
    return x;
  }
  run_pass<T>(plan, plan.passes[0], 1, source, x);
  int64_t stride = plan.passes[0].radix;
  for (size_t i = 1; i < count; ++i) {
    run_pass<T>(plan, plan.passes[i], stride, x, y);
    stride *= plan.passes[i].radix;
    std::swap(x, y);
  }
  return x;
}

template <typename T, class Source, class Target>
void run_passes(
    const FftPlan<T>& plan, const Source& source, const Target& target, FftRows<T> x,
    FftRows<T> y) {
  const size_t passes = plan.passes.size();
  if (passes < 2) {
    const FftRows<T> z = run_passes(plan, passes, source, x, y);
    for (int64_t j = 0; j < plan.length; ++j) {
      target.store(j, z.load(j));
    }
    return;
  }
  const FftRows<T> z = run_passes(plan, passes - 1, source, x, y);
  run_pass<T>(plan, plan.passes.back(), plan.length / plan.passes.back().radix, z, target);
}

// x[j] *= factors[j] for complex factors, after which parts may be exchanged
template <typename T>
void multiply_rows(FftRows<T> x, const T* factors, int64_t count, bool exchange) {
  for (int64_t j = 0; j < count; ++j) {
    x.store(j, exchanged_if(exchange, times(x.load(j), factors + 2 * j)));
  }
}

// The forward transform of the rows x; y is a second buffer. Returns the one with the result.
template <typename T>
FftRows<T> transform_rows(const FftPlan<T>& plan, FftRows<T> x, FftRows<T> y) {
  if (!plan.inner) {
    return plan.passes.empty() ? x : run_passes(plan, plan.passes.size(), x, y, x);
  }
  const FftPlan<T>& inner = *plan.inner;
  multiply_rows(x, plan.chirp.data(), plan.length, false);
  for (int64_t j = plan.length; j < inner.length; ++j) {
    x.store(j, FftValue<T>{});
  }
  FftRows<T> z = run_passes(inner, inner.passes.size(), x, y, x);
  multiply_rows(z, plan.spectrum.data(), inner.length, true);
  z = run_passes(inner, inner.passes.size(), z, z.start == x.start ? y : x, z);
  for (int64_t j = 0; j < plan.length; ++j) {
    z.store(j, times(exchanged_if(true, z.load(j)), plan.chirp.data() + 2 * j));
  }
  return z;
}

// ---- between tensors and rows -------------------------------------------------------------------

// Up to a register's lanes of lines of complex numbers: number j of a line has its parts at
// base[offset + j step] and base[offset + j step + im].
template <typename T>
struct FftLines {
  // How registers can move numbers, if at all.
  enum class Moves {
    Singly,
    AdjacentLines,    // complex lines, in both halves of the lanes
    AdjacentPlanes,   // real lines
    InterleavedParts, // along a line
    SeparateParts     // along a line
  };

  T* base;
  int64_t step, im;
  int64_t offset[kLanes<T>];
  int count;
  Moves moves = Moves::Singly;

  // To be called when all else is set.
  void settle() {
    constexpr int L = kLanes<T>;
    for (int l = count; l < L; ++l) { // the lanes that are left repeat lines
      offset[l] = offset[l % count];
    }
    const auto apart = [&](int64_t distance, int piece) {
      for (int l = 1; l < L; ++l) {
        if (l % piece != 0 && offset[l] - offset[l - 1] != distance) {
          return false;
        }
      }
      return count % piece == 0;
    };
    if (im == 1 && apart(2, L / 2)) {
      moves = Moves::AdjacentLines;
    } else if (apart(1, L)) {
      moves = Moves::AdjacentPlanes;
    } else if (step == 2 && im == 1) {
      moves = Moves::InterleavedParts;
    } else if (step == 1) {
      moves = Moves::SeparateParts;
    }
  }
  FftAdjacentLines<T> adjacent(bool exchange, T scale = 1) const {
    constexpr int L = kLanes<T>;
    return {base + offset[0], base + offset[L / 2], step, exchange, scale, 2 * L};
  }
};

// Calls block(j) so that blocks of `size` cover `count` numbers; the last may overlap the one
// before it. Returns how many numbers are covered.
template <typename Block>
C10_ALWAYS_INLINE int64_t cover(int64_t count, int64_t size, const Block& block) {
  if (count < size) {
    return 0;
  }
  for (int64_t j = 0; j < count; j += size) {
    block(std::min(j, count - size));
  }
  return count;
}

template <typename T>
void load_rows(const FftLines<T>& lines, int64_t count, bool exchange, FftRows<T> rows) {
  using Moves = typename FftLines<T>::Moves;
  constexpr int L = kLanes<T>;
  T* const re = rows.start + (exchange ? L : 0);
  T* const im = rows.start + (exchange ? 0 : L);
  constexpr int64_t kStep = FftRows<T>::kStep;
  // Number j + k of all lines, for all k within a register.
  const auto square = [&](int64_t j, Lanes<T>(&v)[L]) {
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l) {
      v[l] = load_lanes<T>(lines.base + lines.offset[l] + j);
    }
    transpose_registers<T>(v);
  };
  int64_t j = 0;
  if (lines.moves == Moves::AdjacentLines) {
    const auto source = lines.adjacent(exchange);
    for (; j < count; ++j) {
      rows.store(j, source.load(j));
    }
  } else if (lines.moves == Moves::AdjacentPlanes) {
    for (; j < count; ++j) {
      const T* from = lines.base + lines.offset[0] + j * lines.step;
      rows.store(
          j,
          exchanged_if(exchange, FftValue<T>{load_lanes<T>(from), load_lanes<T>(from + lines.im)}));
    }
  } else if (lines.moves == Moves::InterleavedParts) {
    j = cover(count, L / 2, [&](int64_t first) {
      Lanes<T> v[L];
      square(2 * first, v);
#pragma GCC unroll 16
      for (int k = 0; k < L / 2; ++k) {
        store_lanes<T>(re + (first + k) * kStep, v[2 * k]);
        store_lanes<T>(im + (first + k) * kStep, v[2 * k + 1]);
      }
    });
  } else if (lines.moves == Moves::SeparateParts) {
    j = cover(count, L, [&](int64_t first) {
      for (int part = 0; part < (lines.im == 0 ? 1 : 2); ++part) {
        T* const to = part == 0 ? re : im;
        Lanes<T> v[L];
        square(first + part * lines.im, v);
#pragma GCC unroll 16
        for (int k = 0; k < L; ++k) {
          store_lanes<T>(to + (first + k) * kStep, v[k]);
        }
      }
    });
  }
  for (; j < count; ++j) {
    for (int l = 0; l < L; ++l) {
      const T* from = lines.base + lines.offset[l] + j * lines.step;
      re[j * kStep + l] = from[0];
      im[j * kStep + l] = from[lines.im];
    }
  }
}

template <typename T>
void store_rows(FftRows<T> rows, int64_t count, bool exchange, T scale, const FftLines<T>& lines) {
  using Moves = typename FftLines<T>::Moves;
  constexpr int L = kLanes<T>;
  const T* const re = rows.start + (exchange ? L : 0);
  const T* const im = rows.start + (exchange ? 0 : L);
  constexpr int64_t kStep = FftRows<T>::kStep;
  const auto square = [&](int64_t j, Lanes<T>(&v)[L]) {
    transpose_registers<T>(v);
    if (lines.count == L) {
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) {
        store_lanes<T>(lines.base + lines.offset[l] + j, v[l]);
      }
    } else {
      for (int l = 0; l < lines.count; ++l) {
        store_lanes<T>(lines.base + lines.offset[l] + j, v[l]);
      }
    }
  };
  int64_t j = 0;
  if (lines.moves == Moves::AdjacentLines) {
    const auto target = lines.adjacent(exchange, scale);
    for (; j < count; ++j) {
      target.store(j, rows.load(j));
    }
  } else if (lines.moves == Moves::AdjacentPlanes) {
    for (; j < count; ++j) {
      T* to = lines.base + lines.offset[0] + j * lines.step;
      store_lanes<T>(to + lines.im, load_lanes<T>(im + j * kStep) * scale);
      store_lanes<T>(to, load_lanes<T>(re + j * kStep) * scale);
    }
  } else if (lines.moves == Moves::InterleavedParts) {
    j = cover(count, L / 2, [&](int64_t first) {
      Lanes<T> v[L];
#pragma GCC unroll 16
      for (int k = 0; k < L / 2; ++k) {
        v[2 * k] = load_lanes<T>(re + (first + k) * kStep) * scale;
        v[2 * k + 1] = load_lanes<T>(im + (first + k) * kStep) * scale;
      }
      square(2 * first, v);
    });
  } else if (lines.moves == Moves::SeparateParts) {
    j = cover(count, L, [&](int64_t first) {
      for (int part = 0; part < (lines.im == 0 ? 1 : 2); ++part) {
        const T* const from = part == 0 ? re : im;
        Lanes<T> v[L];
#pragma GCC unroll 16
        for (int k = 0; k < L; ++k) {
          v[k] = load_lanes<T>(from + (first + k) * kStep) * scale;
        }
        square(first + part * lines.im, v);
      }
    });
  }
  for (; j < count; ++j) {
    for (int l = 0; l < lines.count; ++l) {
      T* to = lines.base + lines.offset[l] + j * lines.step;
      to[lines.im] = im[j * kStep + l] * scale;
      to[0] = re[j * kStep + l] * scale;
    }
  }
}

// Lane l of rows first + k becomes lane k of row to_first + l, for all lanes.
template <typename T>
void transpose_rows(FftRows<T> rows, int64_t first, FftRows<T> to, int64_t to_first) {
  constexpr int L = kLanes<T>;
  constexpr int64_t kStep = FftRows<T>::kStep;
  for (const int part : {0, L}) {
    Lanes<T> v[L];
#pragma GCC unroll 16
    for (int k = 0; k < L; ++k) {
      v[k] = load_lanes<T>(rows.start + (first + k) * kStep + part);
    }
    transpose_registers<T>(v);
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l) {
      store_lanes<T>(to.start + (to_first + l) * kStep + part, v[l]);
    }
  }
}

// ---- real transforms ----------------------------------------------------------------------------

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

} // namespace CPU_CAPABILITY
} // namespace at::native
