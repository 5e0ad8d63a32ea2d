// Substitution. Many right-hand sides are copied to rows, whose registers are solved from the rows
// before them. Few are solved in panels of eight columns of the matrix: the rows of a panel are
// solved in a small block, and what they contribute to the other rows is subtracted from up to
// eight right-hand sides while the panel's columns are in registers. Complex ones are always
// copied.

#include <ATen/native/Substitution.h>
#include <ATen/native/cpu/PanelSums.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <c10/util/complex.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <class T, int G>
void solve_columns(const TriangularSystem& system, const T* a, int64_t step, T* x) {
  const int64_t n = system.n;
  T factors[kPanel][G];
  for (int64_t done = 0; done < n; done += kPanel) {
    const int64_t width = std::min<int64_t>(kPanel, n - done);
    const int64_t first = system.upper ? n - done - width : done;
    solve_block<T, G>(
        a + first * step + first, step, static_cast<int>(width), system.upper, system.unit,
        x + first, system.x_step, factors);
    // A panel that is not whole is the last.
    if (done + width < n) {
      add_panel<T, G>(
          a + first * step, step, factors, x, system.x_step, system.upper ? 0 : first + width,
          system.upper ? first : n);
    }
  }
}

// One copy of this code for each type is enough.
template <class T>
C10_NOINLINE void transpose(
    const T* from, int64_t step, int64_t rows, int64_t cols, T* to, int64_t to_step) {
  if constexpr (std::is_floating_point_v<T>) {
    copy_transposed<T>(from, step, rows, cols, to, to_step);
  } else {
    copy_numbers_transposed(from, step, rows, cols, to, to_step);
  }
}

// Numbers of a system, real or complex, are in registers of their real and imaginary parts, which
// alternate.
template <class E>
using RealOf = typename c10::scalar_value_type<E>::type;
template <class E>
using Numbers = Lanes<RealOf<E>>;
template <class E>
constexpr int64_t kNumbers = kLanes<RealOf<E>> * sizeof(RealOf<E>) /
    sizeof(E); // that a register holds
template <class E>
constexpr bool kIsComplex = !std::is_same_v<E, RealOf<E>>;

// i v
template <class T>
Lanes<T> turned(Lanes<T> v) {
  return [&]<int... j>(std::integer_sequence<int, j...>) {
    const Lanes<T> signs = {(j % 2 == 0 ? T(-1) : T(1))...};
    return exchanged_parts<T>(v) * signs;
  }
  (std::make_integer_sequence<int, kLanes<T>>{});
}

// A register of numbers by which others are multiplied.
template <class E>
struct Multiplicand {
  Numbers<E> v, by_i; // the second only of complex numbers

  Multiplicand() = default;
  explicit Multiplicand(Numbers<E> numbers) : v(numbers) {
    if constexpr (kIsComplex<E>) {
      by_i = turned<RealOf<E>>(v);
    }
  }

  // sum - factor v
  C10_ALWAYS_INLINE Numbers<E> subtract(E factor, Numbers<E> sum) const {
    if constexpr (kIsComplex<E>) {
      sum = at::vec::fma(splat<RealOf<E>>(-factor.real()), v, sum);
      return at::vec::fma(splat<RealOf<E>>(-factor.imag()), by_i, sum);
    } else {
      return at::vec::fma(splat<E>(-factor), v, sum);
    }
  }
};

// Divides by a reciprocal, which is exact enough where it is a normal number. Otherwise, real
// numbers are divided, and complex ones are multiplied by a power of two that the divisor is
// multiplied by as well: they overflow or vanish only where their quotients do.
template <class E>
struct Division {
  using T = RealOf<E>;

  E divisor, reciprocal;
  T scale;
  bool inverts;

  C10_NOINLINE void prepare(E by) {
    constexpr T kLeast = std::numeric_limits<T>::min();
    constexpr T kScale = sizeof(T) == sizeof(float) ? T(0x1p64) : T(0x1p512);
    T size = 0;
    if constexpr (kIsComplex<E>) {
      size = std::max(std::abs(by.real()), std::abs(by.imag()));
    } else {
      size = std::abs(by);
    }
    inverts = size >= kLeast && size * kLeast <= T(0.125);
    scale = size > 1 ? 1 / kScale : kScale;
    divisor = by;
    reciprocal = E(1) / (kIsComplex<E> && !inverts ? by * scale : by);
  }

  C10_ALWAYS_INLINE Numbers<E> operator()(Numbers<E> v) const {
    if constexpr (kIsComplex<E>) {
      if (C10_UNLIKELY(!inverts)) {
        v *= splat<T>(scale);
      }
      return at::vec::fma(
          splat<T>(reciprocal.imag()), turned<T>(v), splat<T>(reciprocal.real()) * v);
    } else {
      return inverts ? v * splat<E>(reciprocal) : v / splat<E>(divisor);
    }
  }
};

// Rows of a few registers of right-hand sides, of a lower triangle whose steps may be negative.
template <class E>
struct Rows {
  const E* a;
  int64_t row_step, col_step;
  const E* packed = nullptr; // a copy of a by groups of rows that are solved together, or none
  E* x = nullptr;
  int64_t x_step = 0;
  const Division<E>* divisions;

  Numbers<E> load(const E* from) const {
    return load_lanes<RealOf<E>>(reinterpret_cast<const RealOf<E>*>(from));
  }
  void store(E* to, Numbers<E> v) const { store_lanes(reinterpret_cast<RealOf<E>*>(to), v); }
};

// Subtracts the products of rows of a and N registers of each solved row. The real and imaginary
// parts of complex factors contribute to sums of their own, which are joined at the end. Columns of
// a that are far apart are requested a few steps ahead.
template <class E, int R, int N>
C10_ALWAYS_INLINE void subtract_solved(
    const Rows<E>& rows, const E* a, int64_t begin, Numbers<E> (&sums)[R][N]) {
  constexpr int64_t L = kNumbers<E>, kAhead = 12;
  const int64_t row_step = rows.row_step, col_step = rows.col_step;
  const E* before = rows.x;
  if constexpr (!kIsComplex<E>) {
    for (int64_t k = 0; k < begin; ++k, a += col_step, before += rows.x_step) {
      Multiplicand<E> known[N];
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        known[i] = Multiplicand<E>(rows.load(before + i * L));
      }
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) {
          sums[r][i] = known[i].subtract(a[r * row_step], sums[r][i]);
        }
      }
    }
  } else {
    Numbers<E> real[R][N] = {}, imag[R][N] = {};
    for (int64_t k = 0; k < begin; ++k, a += col_step, before += rows.x_step) {
      __builtin_prefetch(a + kAhead * col_step);
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        const Numbers<E> known = rows.load(before + i * L);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
          const E factor = a[r * row_step];
          real[r][i] = at::vec::fma(splat(factor.real()), known, real[r][i]);
          imag[r][i] = at::vec::fma(splat(factor.imag()), known, imag[r][i]);
        }
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        sums[r][i] -= real[r][i] + turned<RealOf<E>>(imag[r][i]);
      }
    }
  }
}

// Solves R rows from `begin` on, after all rows before them. Their first column is at `a`.
template <class E, int R, int N>
C10_NOINLINE void solve_rows(const Rows<E>& rows, const E* a, int64_t begin) {
  constexpr int64_t L = kNumbers<E>;
  E* x = rows.x + begin * rows.x_step;
  Numbers<E> sums[R][N];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) {
      sums[r][i] = rows.load(x + r * rows.x_step + i * L);
    }
  }
  subtract_solved<E, R, N>(rows, a, begin, sums);
  a += begin * rows.col_step;
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k, a += rows.col_step) {
    Multiplicand<E> known[N];
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) {
      sums[k][i] = rows.divisions[begin + k](sums[k][i]);
      rows.store(x + k * rows.x_step + i * L, sums[k][i]);
      known[i] = Multiplicand<E>(sums[k][i]);
    }
#pragma GCC unroll 8
    for (int r = k + 1; r < R; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        sums[r][i] = known[i].subtract(a[r * rows.row_step], sums[r][i]);
      }
    }
  }
}

// A system as a lower triangle.
template <class E>
Rows<E> rows_of(const TriangularSystem& system, Division<E>* divisions) {
  Rows<E> rows{
      .a = static_cast<const E*>(system.a),
      .row_step = system.row_step,
      .col_step = system.col_step,
      .divisions = divisions};
  if (system.upper) {
    rows.a += (system.n - 1) * (system.row_step + system.col_step);
    rows.row_step = -rows.row_step;
    rows.col_step = -rows.col_step;
  }
  for (int64_t i = 0; i < system.n; ++i) {
    divisions[i].prepare(system.unit ? E(1) : rows.a[i * (rows.row_step + rows.col_step)]);
  }
  return rows;
}

// Registers of right-hand sides that are solved at once with a packed triangle. Only those of
// complex numbers are.
template <class E>
constexpr int kMany = kIsComplex<E> ? (sizeof(Numbers<E>) == 64 ? 4 : 2) : 0;

// Rows that are solved together: with N registers of right-hand sides, their sums fill the
// registers of the processor. Complex numbers have two sums.
template <class E, int N>
constexpr int kGroup = N == 4 ? 3 : (sizeof(Numbers<E>) == 64 ? 8 : 4) / (kIsComplex<E> ? N : 1);

// Room for numbers. An array of complex ones would be set to zero first.
template <class E, int64_t kCount>
struct Unset {
  alignas(64) std::byte bytes[kCount * sizeof(E)];
  E* data() { return reinterpret_cast<E*>(bytes); }
};

// Calls f with the size and first row of each group of G of n rows, and of single rows at the end.
template <int G, class F>
C10_ALWAYS_INLINE void for_groups(int64_t n, const F& f) {
  int64_t begin = 0;
  for (; begin + G <= n; begin += G) {
    f(std::integral_constant<int, G>{}, begin);
  }
  for (; begin < n; ++begin) {
    f(std::integral_constant<int, 1>{}, begin);
  }
}

// Copies a triangle as groups of rows, each column by column. In place, columns may be so far apart
// that they displace each other in the cache.
template <class E, int G>
void pack_groups(const Rows<E>& rows, int64_t n, E* to) {
  const auto copy = [&]<int R>(std::integral_constant<int, R>, int64_t begin) {
    const E* a = rows.a + begin * rows.row_step;
    for (int64_t k = 0; k < begin + R; ++k, a += rows.col_step, to += R) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        to[r] = a[r * rows.row_step];
      }
    }
  };
  for_groups<G>(n, copy);
}

// Solves up to N registers of right-hand sides in a copy that has them in rows.
template <class E, int N>
void solve_in_rows(Rows<E> rows, const TriangularSystem& system, E* x, int64_t count) {
  constexpr int64_t kWidth = N * kNumbers<E>;
  const int64_t n = system.n;
  Unset<E, kMaxSubstitution * kWidth> room;
  E* const copy = room.data();
  if (count < kWidth) {
    std::fill_n(copy, n * kWidth, E(0));
  }
  transpose(x, system.x_step, count, n, copy, kWidth);
  rows.x = copy + (system.upper ? (n - 1) * kWidth : 0);
  rows.x_step = system.upper ? -kWidth : kWidth;
  const E* packed = rows.packed;
  const auto solve = [&]<int R>(std::integral_constant<int, R>, int64_t begin) {
    if constexpr (N == kMany<E>) {
      if (packed != nullptr) {
        rows.row_step = 1;
        rows.col_step = R;
        solve_rows<E, R, N>(rows, packed, begin);
        packed += R * (begin + R);
        return;
      }
    }
    solve_rows<E, R, N>(rows, rows.a + begin * rows.row_step, begin);
  };
  for_groups<kGroup<E, N>>(n, solve);
  transpose(copy, kWidth, n, count, x, system.x_step);
}

template <class T>
void substitute(const TriangularSystem& system) {
  constexpr int64_t L = kLanes<T>;
  const int64_t n = system.n;
  T* x = static_cast<T*>(system.x);
  int64_t j = 0;
  Division<T> divisions[kMaxSubstitution];
  const bool many = system.count > 8;
  const Rows<T> rows = many ? rows_of<T>(system, divisions) : Rows<T>{};
  // More than eight columns, which are more than one register of most types.
  for (; j + 8 < system.count; j += 2 * L) {
    const int64_t count = std::min(2 * L, system.count - j);
    if constexpr (L > 8) {
      if (count <= L) {
        solve_in_rows<T, 1>(rows, system, x + j * system.x_step, count);
        continue;
      }
    }
    solve_in_rows<T, 2>(rows, system, x + j * system.x_step, count);
  }
  if (j >= system.count) {
    return;
  }
  const T* a = static_cast<const T*>(system.a);
  int64_t step = system.col_step;
  if (system.row_step != 1) {
    T* columns = static_cast<T*>(system.workspace);
    for (int64_t k = 0; k < n; k += L) {
      const int64_t begin = system.upper ? 0 : k, end = system.upper ? std::min(n, k + L) : n;
      transpose(
          a + begin * system.row_step + k, system.row_step, end - begin, std::min(L, n - k),
          columns + k * n + begin, n);
    }
    a = columns;
    step = n;
  }
  for (; j + 8 <= system.count; j += 8) {
    solve_columns<T, 8>(system, a, step, x + j * system.x_step);
  }
  for (; j < system.count; ++j) {
    solve_columns<T, 1>(system, a, step, x + j * system.x_step);
  }
}

template <class E>
void substitute_complex(const TriangularSystem& system) {
  constexpr int N = kMany<E>, G = kGroup<E, N>;
  constexpr int64_t L = kNumbers<E>, kMaxPacked = 64, kRoom = kMaxPacked * (kMaxPacked + G) / 2;
  const int64_t n = system.n;
  E* x = static_cast<E*>(system.x);
  Unset<Division<E>, kMaxSubstitution> divisions;
  Rows<E> rows = rows_of<E>(system, divisions.data());
  int64_t j = 0;
  if (n <= kMaxPacked && system.count >= 2 * N * L) {
    Unset<E, kRoom> room;
    pack_groups<E, G>(rows, n, room.data());
    rows.packed = room.data();
    for (; j + N * L <= system.count; j += N * L) {
      solve_in_rows<E, N>(rows, system, x + j * system.x_step, N * L);
    }
    rows.packed = nullptr;
  }
  for (; j < system.count; j += 2 * L) {
    const int64_t count = std::min(2 * L, system.count - j);
    const auto solve = count > L ? &solve_in_rows<E, 2> : &solve_in_rows<E, 1>;
    solve(rows, system, x + j * system.x_step, count);
  }
}

void substitute_kernel(const TriangularSystem& system) {
  switch (system.dtype) {
    case c10::ScalarType::Float:
      return substitute<float>(system);
    case c10::ScalarType::Double:
      return substitute<double>(system);
    case c10::ScalarType::ComplexFloat:
      return substitute_complex<c10::complex<float>>(system);
    default:
      return substitute_complex<c10::complex<double>>(system);
  }
}

} // namespace

REGISTER_DISPATCH(substitute_stub, &substitute_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
