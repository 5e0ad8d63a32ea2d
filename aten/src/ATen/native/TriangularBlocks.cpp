#include <ATen/native/TriangularBlocks.h>

#include <ATen/Parallel.h>
#include <ATen/native/Substitution.h>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace at::native {

DEFINE_DISPATCH(substitute_stub);

namespace {

// Halves the matrix until substitution is fast enough; products do the rest. They pay earlier with
// many right-hand sides.
template <class T>
void solve_halves(
    const T* a, Steps steps, int64_t n, T* x, int64_t x_step, int64_t count, Triangle shape,
    T* workspace) {
  // Substitution with many right-hand sides reads the matrix once for a few registers of them.
  constexpr int64_t kNear =
      sizeof(T) == sizeof(float) ? kMaxSubstitution / 2 : kMaxSubstitution / 4;
  if (n <= (count < 32 ? kMaxSubstitution : kNear)) {
    return substitute_stub.on_host(TriangularSystem{
        a, steps.row, steps.col, x, x_step, n, count, shape.upper, shape.unit,
        c10::CppTypeToScalarType<T>::value, workspace});
  }
  const int64_t half = (n / 2 + 15) / 16 * 16;
  const int64_t first = shape.upper ? half : 0, second = shape.upper ? 0 : half;
  const int64_t first_size = shape.upper ? n - half : half, second_size = n - first_size;
  const auto solve = [&](int64_t begin, int64_t size) {
    solve_halves(
        a + begin * (steps.row + steps.col), steps, size, x + begin, x_step, count, shape,
        workspace);
  };
  solve(first, first_size);
  multiply<T>(
      second_size, count, first_size, T(-1), {a + second * steps.row + first * steps.col, steps},
      {x + first, {1, x_step}}, T(1), {x + second, {1, x_step}});
  solve(second, second_size);
}

// A range of columns that is worth a thread.
int64_t column_grain(int64_t n) {
  return std::max<int64_t>(16, (int64_t{1} << 19) / std::max<int64_t>(n * n, 1));
}

// Calls f(first, width) for blocks of the n columns of an inverse, in threads. The first have most
// rows below their units: every thread takes its share of them.
template <class F>
void for_column_blocks(int64_t n, const F& f) {
  constexpr int64_t kWidth = 64;
  const int64_t blocks = (n + kWidth - 1) / kWidth;
  at::parallel_for(0, blocks, std::max<int64_t>(1, 128 / n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t half = (blocks + 1) / 2;
      const int64_t first = (i < half ? 2 * i : 2 * (i - half) + 1) * kWidth;
      f(first, std::min(kWidth, n - first));
    }
  });
}

// An inverse is Hermitian: what is above the diagonal follows from what is below it, in the first
// `width` columns. A few rows at a time, so that lines of the cache are read and written whole.
template <class T>
void reflect(T* columns, int64_t n, int64_t rows, int64_t width, bool conjugated) {
  constexpr int64_t kTile = 8;
  for (int64_t first = 0; first < rows; first += kTile) {
    const int64_t last = std::min(rows, first + kTile);
    for (int64_t j = 0; j < std::min(width, last); ++j) {
      for (int64_t i = std::max(first, j); i < last; ++i) {
        T& below = columns[j * n + i];
        T& above = columns[i * n + j];
        above = conjugated ? conjugate(below) : below;
        below = conjugate(above);
      }
    }
  }
}

} // namespace

template <class T>
void solve_triangle(
    const T* a, Steps steps, int64_t n, T* x, int64_t x_step, int64_t count, Triangle shape) {
  at::parallel_for(0, count, column_grain(n), [&](int64_t begin, int64_t end) {
    // Substitution of real numbers reads columns: it copies blocks of a matrix that has rows.
    const bool copies = std::is_floating_point_v<T> && steps.row != 1;
    const int64_t side = copies ? std::min(n, kMaxSubstitution) : 0;
    const auto workspace = std::make_unique_for_overwrite<T[]>(side * side);
    solve_halves(a, steps, n, x + begin * x_step, x_step, end - begin, shape, workspace.get());
  });
}

template <class T>
void invert_factors(const T* factors, int64_t n, T* inverse) {
  for_column_blocks(n, [&](int64_t top, int64_t width) {
    T* columns = inverse + top * n;
    std::fill_n(columns, width * n, T(0));
    for (int64_t j = 0; j < width; ++j) {
      columns[j * n + top + j] = 1;
    }
    solve_halves<T>(
        factors + top * (n + 1), Steps{1, n}, n - top, columns + top, n, width,
        Triangle{false, true}, nullptr);
    solve_halves<T>(factors, Steps{1, n}, n, columns, n, width, Triangle{true, false}, nullptr);
  });
}

template <class T>
void invert_square(const T* lower, Steps steps, int64_t n, bool conjugated, T* inverse) {
  for_column_blocks(n, [&](int64_t top, int64_t width) {
    // The rows from the diagonal on: (L L^H)^-1 is the conjugate of L^-T times that of L^-1.
    const int64_t rows = n - top;
    const T* corner = lower + top * (steps.row + steps.col);
    T* columns = inverse + top * (n + 1);
    const int64_t side = std::min(rows, kMaxSubstitution);
    const auto workspace =
        std::make_unique_for_overwrite<T[]>(std::is_floating_point_v<T> ? side * side : 0);
    for (int64_t j = 0; j < width; ++j) {
      std::fill_n(columns + j * n, rows, T(0));
      columns[j * n + j] = 1;
    }
    solve_halves<T>(
        corner, steps, rows, columns, n, width, Triangle{false, false}, workspace.get());
    for (int64_t j = 0; j < width; ++j) {
      conjugate_all(columns + j * n, rows);
    }
    solve_halves<T>(
        corner, Steps{steps.col, steps.row}, rows, columns, n, width, Triangle{true, false},
        workspace.get());
    reflect(columns, n, rows, width, conjugated);
  });
}

#define AT_INSTANTIATE_TRIANGLES(T)                                                       \
  template void solve_triangle(const T*, Steps, int64_t, T*, int64_t, int64_t, Triangle); \
  template void invert_factors(const T*, int64_t, T*);                                    \
  template void invert_square(const T*, Steps, int64_t, bool, T*);
AT_INSTANTIATE_TRIANGLES(float)
AT_INSTANTIATE_TRIANGLES(double)
AT_INSTANTIATE_TRIANGLES(c10::complex<float>)
AT_INSTANTIATE_TRIANGLES(c10::complex<double>)
#undef AT_INSTANTIATE_TRIANGLES

} // namespace at::native
