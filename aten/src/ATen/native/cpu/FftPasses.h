#pragma once

#include <ATen/native/FftPlan.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <cstring>
#include <utility>

// Transforms of as many lines as a register has lanes. Number j of all lines is one register of
// real and one of imaginary parts, so no step of a transform mixes lanes.

namespace at::native {
inline namespace CPU_CAPABILITY {

// Rows of registers: real and imaginary parts.
template <typename T>
struct FftRows {
  T *re, *im;
};

template <typename T>
struct FftValue {
  Lanes<T> re, im;
};

template <typename T>
C10_ALWAYS_INLINE FftValue<T> load_value(FftRows<T> rows, int64_t at) {
  return {load_lanes<T>(rows.re + at), load_lanes<T>(rows.im + at)};
}
template <typename T>
C10_ALWAYS_INLINE void store_value(FftRows<T> rows, int64_t at, FftValue<T> value) {
  store_lanes<T>(rows.re + at, value.re);
  store_lanes<T>(rows.im + at, value.im);
}
template <typename T>
C10_ALWAYS_INLINE FftValue<T> times(FftValue<T> x, T re, T im) {
  return {x.re * re - x.im * im, x.re * im + x.im * re};
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
        const T c = roots[2 * power], s = roots[2 * power + 1];
        even = {even.re + sums[j].re * c, even.im + sums[j].im * c};
        odd = {odd.re - differences[j].im * s, odd.im + differences[j].re * s};
      }
      x[k] = sum_of(even, odd);
      x[count - k] = difference_of(even, odd);
    }
  }
}

// y[stride (radix p + k) + q] = w^(p k) X_k, where X is the transform of x[stride (p + groups j) +
// q].
template <typename T, int kRadix>
void run_pass(
    const FftPlan<T>& plan, const FftPass& pass, int64_t stride, FftRows<T> x, FftRows<T> y) {
  const int radix = kRadix == 0 ? pass.radix : kRadix;
  if (radix < 2) {
    __builtin_unreachable();
  }
  const T* roots = plan.tables.data() + pass.roots;
  const T* twiddle = plan.tables.data() + pass.twiddles;
  const int64_t apart = stride * pass.groups;
  for (int64_t p = 0; p < pass.groups; ++p, twiddle += 2 * (radix - 1)) {
    for (int64_t q = 0; q < stride; q += kLanes<T>) {
      FftValue<T> v[kRadix == 0 ? kMaxRadix : kRadix];
#pragma GCC unroll 8
      for (int j = 0; j < radix; ++j) {
        v[j] = load_value(x, stride * p + q + apart * j);
      }
      butterfly<T, kRadix>(v, radix, roots);
      const int64_t to = stride * radix * p + q;
      store_value(y, to, v[0]);
#pragma GCC unroll 8
      for (int k = 1; k < radix; ++k) {
        const FftValue<T> turned =
            p == 0 ? v[k] : times(v[k], twiddle[2 * k - 2], twiddle[2 * k - 1]);
        store_value(y, to + stride * k, turned);
      }
    }
  }
}

// The forward transform of the rows x; y is a second buffer. Returns the one with the result.
template <typename T>
FftRows<T> run_passes(const FftPlan<T>& plan, FftRows<T> x, FftRows<T> y) {
  int64_t stride = kLanes<T>;
  for (const FftPass& pass : plan.passes) {
    switch (pass.radix) {
      case 2:
        run_pass<T, 2>(plan, pass, stride, x, y);
        break;
      case 3:
        run_pass<T, 3>(plan, pass, stride, x, y);
        break;
      case 4:
        run_pass<T, 4>(plan, pass, stride, x, y);
        break;
      case 5:
        run_pass<T, 5>(plan, pass, stride, x, y);
        break;
      default:
        run_pass<T, 0>(plan, pass, stride, x, y);
    }
    stride *= pass.radix;
    std::swap(x, y);
  }
  return x;
}

// x[j] *= factors[j] for complex factors
template <typename T>
void multiply_rows(FftRows<T> x, const T* factors, int64_t count) {
  for (int64_t j = 0; j < count; ++j) {
    const int64_t at = j * kLanes<T>;
    store_value(x, at, times(load_value(x, at), factors[2 * j], factors[2 * j + 1]));
  }
}

template <typename T>
FftRows<T> transform_rows(const FftPlan<T>& plan, FftRows<T> x, FftRows<T> y) {
  if (!plan.inner) {
    return run_passes(plan, x, y);
  }
  const FftPlan<T>& inner = *plan.inner;
  multiply_rows(x, plan.chirp.data(), plan.length);
  const auto rest = static_cast<size_t>((inner.length - plan.length) * kLanes<T>) * sizeof(T);
  std::memset(x.re + plan.length * kLanes<T>, 0, rest);
  std::memset(x.im + plan.length * kLanes<T>, 0, rest);
  FftRows<T> z = run_passes(inner, x, y);
  multiply_rows(z, plan.spectrum.data(), inner.length);
  // Exchanging real and imaginary parts reverses the direction of a transform.
  const FftRows<T> other = z.re == x.re ? y : x;
  const FftRows<T> back = run_passes(inner, FftRows<T>{z.im, z.re}, FftRows<T>{other.im, other.re});
  z = {back.im, back.re};
  multiply_rows(z, plan.chirp.data(), plan.length);
  return z;
}

// ---- between tensors and rows -------------------------------------------------------------------

// Up to a register's lanes of lines of complex numbers: number j of a line has its parts at
// base[offset + j step] and base[offset + j step + im].
template <typename T>
struct FftLines {
  T* base;
  int64_t step, im;
  int64_t offset[kLanes<T>];
  int count;
  int64_t apart; // from line to line, or 0 if that differs or there are too few lines

  void settle() {
    apart = 0;
    if (count == kLanes<T>) {
      apart = offset[1] - offset[0];
      for (int l = 1; l < count; ++l) {
        apart = offset[l] - offset[l - 1] == apart ? apart : 0;
      }
    }
  }
  bool interleaved() const { return step == 2 && im == 1 && count == kLanes<T>; }
  bool adjacent() const { return apart == 2 && im == 1; }
};

template <typename T>
struct Interleave {
  using Index = at::vec::Lanes<at::vec::int_like<T>, kLanes<T>>;
  Index even, odd, low, high;
  Interleave() {
    constexpr int L = kLanes<T>;
    for (int i = 0; i < L; ++i) {
      even[i] = 2 * i;
      odd[i] = 2 * i + 1;
      low[i] = i / 2 + i % 2 * L;
      high[i] = L / 2 + i / 2 + i % 2 * L;
    }
  }
};

template <typename T>
void load_rows(const FftLines<T>& lines, int64_t count, FftRows<T> rows) {
  constexpr int L = kLanes<T>;
  int64_t j = 0;
  if (lines.adjacent()) {
    const Interleave<T> order;
    for (; j < count; ++j) {
      const T* from = lines.base + lines.offset[0] + j * lines.step;
      const Lanes<T> a = load_lanes<T>(from), b = load_lanes<T>(from + L);
      store_lanes<T>(rows.re + j * L, shuffled<T>(a, b, order.even));
      store_lanes<T>(rows.im + j * L, shuffled<T>(a, b, order.odd));
    }
  } else if (lines.apart == 1) {
    for (; j < count; ++j) {
      const T* from = lines.base + lines.offset[0] + j * lines.step;
      store_lanes<T>(rows.re + j * L, load_lanes<T>(from));
      store_lanes<T>(rows.im + j * L, load_lanes<T>(from + lines.im));
    }
  } else if (lines.interleaved()) {
    for (; j + L / 2 <= count; j += L / 2) {
      Lanes<T> v[L];
      for (int l = 0; l < L; ++l) {
        v[l] = load_lanes<T>(lines.base + lines.offset[l] + 2 * j);
      }
      transpose_registers<T>(v);
      for (int k = 0; k < L / 2; ++k) {
        store_lanes<T>(rows.re + (j + k) * L, v[2 * k]);
        store_lanes<T>(rows.im + (j + k) * L, v[2 * k + 1]);
      }
    }
  }
  for (; j < count; ++j) {
    for (int l = 0; l < L; ++l) {
      const T* from = lines.base + lines.offset[l] + j * lines.step;
      rows.re[j * L + l] = l < lines.count ? from[0] : T(0);
      rows.im[j * L + l] = l < lines.count ? from[lines.im] : T(0);
    }
  }
}

template <typename T>
void store_rows(FftRows<T> rows, int64_t count, T scale, const FftLines<T>& lines) {
  constexpr int L = kLanes<T>;
  int64_t j = 0;
  if (lines.adjacent()) {
    const Interleave<T> order;
    for (; j < count; ++j) {
      T* to = lines.base + lines.offset[0] + j * lines.step;
      const Lanes<T> a = load_lanes<T>(rows.re + j * L) * scale;
      const Lanes<T> b = load_lanes<T>(rows.im + j * L) * scale;
      store_lanes<T>(to, shuffled<T>(a, b, order.low));
      store_lanes<T>(to + L, shuffled<T>(a, b, order.high));
    }
  } else if (lines.apart == 1) {
    for (; j < count; ++j) {
      T* to = lines.base + lines.offset[0] + j * lines.step;
      store_lanes<T>(to, load_lanes<T>(rows.re + j * L) * scale);
      store_lanes<T>(to + lines.im, load_lanes<T>(rows.im + j * L) * scale);
    }
  } else if (lines.interleaved()) {
    for (; j + L / 2 <= count; j += L / 2) {
      Lanes<T> v[L];
      for (int k = 0; k < L / 2; ++k) {
        v[2 * k] = load_lanes<T>(rows.re + (j + k) * L) * scale;
        v[2 * k + 1] = load_lanes<T>(rows.im + (j + k) * L) * scale;
      }
      transpose_registers<T>(v);
      for (int l = 0; l < L; ++l) {
        store_lanes<T>(lines.base + lines.offset[l] + 2 * j, v[l]);
      }
    }
  }
  for (; j < count; ++j) {
    for (int l = 0; l < lines.count; ++l) {
      T* to = lines.base + lines.offset[l] + j * lines.step;
      to[0] = rows.re[j * L + l] * scale;
      to[lines.im] = rows.im[j * L + l] * scale;
    }
  }
}

// ---- real transforms
// ------------------------------------------------------------------------------

// An even number of real numbers is transformed as half as many complex ones, z. With E and O the
// transforms of the numbers at even and odd places, X_k = E_k + w^k O_k, where z's transform is
// Z_k = E_k + i O_k, and both are Hermitian.
template <typename T>
void separate_halves(FftRows<T> z, int64_t half, const T* roots, FftRows<T> out) {
  constexpr int L = kLanes<T>;
  for (int64_t k = 0; k <= half / 2; ++k) {
    const int64_t mirror = half - k;
    const FftValue<T> a = load_value(z, k * L), b = load_value(z, (k == 0 ? 0 : mirror) * L);
    const FftValue<T> even{(a.re + b.re) * T(0.5), (a.im - b.im) * T(0.5)};
    const FftValue<T> odd{(a.im + b.im) * T(0.5), (b.re - a.re) * T(0.5)};
    const FftValue<T> turned = times(odd, roots[2 * k], roots[2 * k + 1]);
    store_value(out, k * L, sum_of(even, turned));
    store_value(out, mirror * L, FftValue<T>{even.re - turned.re, turned.im - even.im});
  }
}

// The opposite, without halving.
template <typename T>
void join_halves(FftRows<T> x, int64_t half, const T* roots) {
  constexpr int L = kLanes<T>;
  for (int64_t k = 0; k <= half / 2; ++k) {
    const int64_t mirror = half - k;
    FftValue<T> a = load_value(x, k * L), b = load_value(x, mirror * L);
    if (k == 0) { // these two are real
      a.im = b.im = Lanes<T>{};
    }
    const FftValue<T> even{a.re + b.re, a.im - b.im};
    const FftValue<T> odd =
        times(FftValue<T>{a.re - b.re, a.im + b.im}, roots[2 * k], -roots[2 * k + 1]);
    store_value(x, k * L, FftValue<T>{even.re - odd.im, even.im + odd.re});
    if (k != 0) {
      store_value(x, mirror * L, FftValue<T>{even.re + odd.im, odd.re - even.im});
    }
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
