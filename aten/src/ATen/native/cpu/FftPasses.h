#pragma once

#include <ATen/native/FftPlan.h>
#include <ATen/native/cpu/FftRegisters.h>

#include <numbers>
#include <type_traits>
#include <utility>

// Transforms of as many lines as a register has lanes. Number j of all lines is one register of
// real and one of imaginary parts, so no step of a transform mixes lanes.

namespace at::native {
inline namespace CPU_CAPABILITY {

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
  } else if constexpr (kRadix == 16) { // four columns of four, then their rows
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      FftValue<T> column[4] = {x[q], x[q + 4], x[q + 8], x[q + 12]};
      butterfly<T, 4>(column, 4, roots);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        const bool is_one = q * k == 0;
        x[q + 4 * k] = is_one ? column[k]
            : q * k == 4      ? by_minus_i(column[k])
                              : times(column[k], roots + 2 * q * k);
      }
    }
    FftValue<T> rows[4][4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) {
        rows[k][q] = x[4 * k + q];
      }
      butterfly<T, 4>(rows[k], 4, roots);
    }
#pragma GCC unroll 16
    for (int k = 0; k < 16; ++k) {
      x[k] = rows[k % 4][k / 4];
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

// Transposes the squares that the registers have in each R of their lanes.
template <typename T, int R>
C10_ALWAYS_INLINE void transpose_squares(FftValue<T> (&v)[R]) {
  Lanes<T> re[R], im[R];
#pragma GCC unroll 16
  for (int j = 0; j < R; ++j) {
    re[j] = v[j].re;
    im[j] = v[j].im;
  }
  transpose_registers<T>(re);
  transpose_registers<T>(im);
#pragma GCC unroll 16
  for (int j = 0; j < R; ++j) {
    v[j] = {re[j], im[j]};
  }
}

// A transform in one pass.
template <typename T, int kRadix, class Source>
C10_ALWAYS_INLINE void load_whole(
    const FftPlan<T>& plan, const Source& source, FftValue<T> (&v)[kRadix]) {
#pragma GCC unroll 16
  for (int j = 0; j < kRadix; ++j) {
    v[j] = source.load(j);
  }
  butterfly<T, kRadix>(v, kRadix, plan.tables.data() + plan.passes[0].roots);
}
template <typename T, int kRadix, class Source, class Target>
void run_whole(const FftPlan<T>& plan, const Source& source, const Target& target) {
  FftValue<T> v[kRadix];
  load_whole<T, kRadix>(plan, source, v);
#pragma GCC unroll 16
  for (int k = 0; k < kRadix; ++k) {
    target.store(k, v[k]);
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
  // Large radices are too much code for a copy of their own for the group whose factors are 1, and
  // the last pass, which alone leaves the rows, has no other group.
  constexpr bool kShares = kRadix == 0, kLast = !std::is_same_v<Target, FftRows<T>>;
  if constexpr (!kShares) {
    run_group(0, [](FftValue<T> x, int) { return x; });
    twiddle += 2 * (radix - 1);
  }
  for (int64_t p = kShares ? 0 : 1; !kLast && p < pass.groups; ++p) {
    run_group(p, [&](FftValue<T> x, int k) {
      return kShares && p == 0 ? x : times(x, twiddle + 2 * (k - 1));
    });
    twiddle += 2 * (radix - 1);
  }
}

// Whether registers suffice for radices 8 and 16.
#if defined(__AVX512F__)
constexpr bool kManyRegisters = true;
#else
constexpr bool kManyRegisters = false;
#endif

// Whether a pass of this radix can move numbers between lines and rows; others only run between
// rows.
inline bool moves_lines(const FftPass& pass) {
  return pass.radix <= 5 || pass.radix == 8;
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
      if constexpr (kManyRegisters) {
        return run_pass<T, 8>(plan, pass, stride, source, target);
      }
      break;
    default:
      if constexpr (std::is_same_v<Source, Target>) {
        return run_pass<T, 0>(plan, pass, stride, source, target);
      }
  }
}

// ---- transforms ---------------------------------------------------------------------------------

template <typename T, class Source, class Target>
void copy_rows(int64_t count, const Source& source, const Target& target) {
  for (int64_t j = 0; j < count; ++j) {
    target.store(j, source.load(j));
  }
}

// The first `count` passes of a forward transform. A source of rows is y itself. Returns the buffer
// with the result.
template <typename T, class Source>
FftRows<T> run_passes(
    const FftPlan<T>& plan, size_t count, const Source& source, FftRows<T> x, FftRows<T> y) {
  if constexpr (kManyRegisters && std::is_same_v<Source, FftRows<T>>) {
    if (plan.length == 16 && count == 1) {
      run_whole<T, 16>(plan, source, x);
      return x;
    }
  }
  if constexpr (!std::is_same_v<Source, FftRows<T>>) {
    if (count == 0 || !moves_lines(plan.passes[0])) {
      copy_rows<T>(plan.length, source, y);
      return run_passes(plan, count, y, x, y);
    }
  }
  if (count == 0) {
    return y;
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
  if constexpr (kManyRegisters) {
    if (plan.length == 16) {
      return run_whole<T, 16>(plan, source, target);
    }
  }
  const bool moves = passes > 1 && moves_lines(plan.passes.back());
  const FftRows<T> z = run_passes(plan, passes - moves, source, x, y);
  if (moves) {
    run_pass<T>(plan, plan.passes.back(), plan.length / plan.passes.back().radix, z, target);
  } else {
    copy_rows<T>(plan.length, z, target);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
