// Substitution. Many right-hand sides are copied to rows, whose registers are solved from the rows
// before them. Few are solved in panels of eight columns of the matrix: the rows of a panel are
// solved in a small block, and what they contribute to the other rows is subtracted from up to
// eight right-hand sides while the panel's columns are in registers.

#include <ATen/native/Substitution.h>
#include <ATen/native/cpu/PanelSums.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <cmath>
#include <limits>

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

// One copy of this code is enough.
template <class T>
C10_NOINLINE void transpose(
    const T* from, int64_t step, int64_t rows, int64_t cols, T* to, int64_t to_step) {
  copy_transposed<T>(from, step, rows, cols, to, to_step);
}

// Rows of up to two registers of right-hand sides, of a lower triangle whose steps may be negative.
template <class T>
struct Rows {
  const T* a;
  int64_t row_step, col_step;
  T* x;
  int64_t x_step;
  bool unit;
};

// Solves R rows from `begin` on, after all rows before them.
template <class T, int R, int N>
void solve_rows(const Rows<T>& rows, int64_t begin) {
  constexpr int64_t L = kLanes<T>;
  const T* a = rows.a + begin * rows.row_step;
  const int64_t row_step = rows.row_step, col_step = rows.col_step;
  T* x = rows.x + begin * rows.x_step;
  Lanes<T> sums[R][N];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int i = 0; i < N; ++i) {
      sums[r][i] = load_lanes<T>(x + r * rows.x_step + i * L);
    }
  }
  const T* before = rows.x;
  for (int64_t k = 0; k < begin; ++k, a += col_step, before += rows.x_step) {
    Lanes<T> known[N];
#pragma GCC unroll 2
    for (int i = 0; i < N; ++i) {
      known[i] = load_lanes<T>(before + i * L);
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const auto factor = splat<T>(-a[r * row_step]);
#pragma GCC unroll 2
      for (int i = 0; i < N; ++i) {
        sums[r][i] = at::vec::fma(factor, known[i], sums[r][i]);
      }
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k, a += col_step) {
    const T divisor = rows.unit ? T(1) : a[k * row_step];
    // A reciprocal is exact enough where it is a normal number.
    const T size = std::abs(divisor);
    const bool inverts =
        size >= std::numeric_limits<T>::min() && size * std::numeric_limits<T>::min() <= T(0.25);
    const auto by = splat<T>(inverts ? 1 / divisor : divisor);
#pragma GCC unroll 2
    for (int i = 0; i < N; ++i) {
      sums[k][i] = inverts ? sums[k][i] * by : sums[k][i] / by;
      store_lanes<T>(x + k * rows.x_step + i * L, sums[k][i]);
    }
#pragma GCC unroll 8
    for (int r = k + 1; r < R; ++r) {
      const auto factor = splat<T>(-a[r * row_step]);
#pragma GCC unroll 2
      for (int i = 0; i < N; ++i) {
        sums[r][i] = at::vec::fma(factor, sums[k][i], sums[r][i]);
      }
    }
  }
}

// Solves up to N registers of right-hand sides in a copy that has them in rows.
template <class T, int N>
void solve_in_rows(const TriangularSystem& system, T* x, int64_t count) {
  constexpr int64_t kWidth = N * kLanes<T>;
  const int64_t n = system.n;
  alignas(64) T copy[kMaxSubstitution * kWidth];
  if (count < kWidth) {
    std::fill_n(copy, n * kWidth, T(0));
  }
  transpose<T>(x, system.x_step, count, n, copy, kWidth);
  Rows<T> rows{
      static_cast<const T*>(system.a), system.row_step, system.col_step, copy, kWidth, system.unit};
  if (system.upper) {
    rows.a += (n - 1) * (system.row_step + system.col_step);
    rows.row_step = -rows.row_step;
    rows.col_step = -rows.col_step;
    rows.x += (n - 1) * kWidth;
    rows.x_step = -kWidth;
  }
  constexpr int kRows = kLanes<T> * sizeof(T) == 64 ? 8 : 4; // their sums fill the registers
  int64_t begin = 0;
  for (; begin + kRows <= n; begin += kRows) {
    solve_rows<T, kRows, N>(rows, begin);
  }
  for (; begin < n; ++begin) {
    solve_rows<T, 1, N>(rows, begin);
  }
  transpose<T>(copy, kWidth, n, count, x, system.x_step);
}

template <class T>
void substitute(const TriangularSystem& system) {
  constexpr int64_t L = kLanes<T>;
  const int64_t n = system.n;
  T* x = static_cast<T*>(system.x);
  int64_t j = 0;
  // More than eight columns, which are more than one register of most types.
  for (; j + 8 < system.count; j += 2 * L) {
    const int64_t count = std::min(2 * L, system.count - j);
    if constexpr (L > 8) {
      if (count <= L) {
        solve_in_rows<T, 1>(system, x + j * system.x_step, count);
        continue;
      }
    }
    solve_in_rows<T, 2>(system, x + j * system.x_step, count);
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
      transpose<T>(
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

void substitute_kernel(const TriangularSystem& system) {
  system.is_double ? substitute<double>(system) : substitute<float>(system);
}

} // namespace

REGISTER_DISPATCH(substitute_stub, &substitute_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
