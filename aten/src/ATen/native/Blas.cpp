#include <ATen/native/Blas.h>

#include <ATen/Parallel.h>
#include <ATen/native/TileUnit.h>
#include <ATen/native/blas/BlasLibrary.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <algorithm>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(small_gemm_stub);
DEFINE_DISPATCH(packed_gemm_stub);
DEFINE_DISPATCH(complex_gemm_stub);
DEFINE_DISPATCH(built_in_gemm_stub);
DEFINE_DISPATCH(tile_gemm_stub);
DEFINE_DISPATCH(integer_gemm_stub);
DEFINE_DISPATCH(dot_stub);
DEFINE_DISPATCH(complex_dot_stub);

namespace {

// Our thread pool splits the work, so BLAS must not start threads of its own.
void keep_blas_on_one_thread() {
  static const bool once = [] {
    blas::use_one_thread();
    return true;
  }();
  (void)once;
}

// The matrix as BLAS expects it: row-major with a leading dimension, or the transpose of one.
template <class T>
blas::Matrix<const T> operand(
    const void* data, int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride,
    bool conjugated) {
  const T* elements = static_cast<const T*>(data);
  if (!conjugated && is_row_major(rows, cols, row_stride, col_stride)) {
    return {elements, static_cast<int>(rows == 1 ? std::max<int64_t>(cols, 1) : row_stride)};
  }
  const int64_t leading = cols == 1 ? std::max<int64_t>(rows, 1) : col_stride;
  return {
      elements, static_cast<int>(leading),
      conjugated ? blas::Transpose::Conjugate : blas::Transpose::Yes};
}

template <class T>
void blas_gemm(const Gemm& g, const c10::Scalar& alpha, const c10::Scalar& beta) {
  const int ldc = static_cast<int>(g.m == 1 ? std::max<int64_t>(g.n, 1) : g.c_row);
  blas::gemm(
      static_cast<int>(g.m), static_cast<int>(g.n), static_cast<int>(g.k), alpha.to<T>(),
      operand<T>(g.a, g.m, g.k, g.a_row, g.a_col, g.a_conjugated),
      operand<T>(g.b, g.k, g.n, g.b_row, g.b_col, g.b_conjugated), beta.to<T>(),
      blas::Matrix<T>{static_cast<T*>(g.c), ldc});
}

void blas_gemm(
    c10::ScalarType dtype, const Gemm& g, const c10::Scalar& alpha, const c10::Scalar& beta) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return blas_gemm<float>(g, alpha, beta);
    case c10::ScalarType::Double:
      return blas_gemm<double>(g, alpha, beta);
    case c10::ScalarType::ComplexFloat:
      return blas_gemm<c10::complex<float>>(g, alpha, beta);
    default:
      return blas_gemm<c10::complex<double>>(g, alpha, beta);
  }
}

// c[m, 1] = alpha a b + beta c
template <class T>
void blas_gemv(const Gemm& g, const c10::Scalar& alpha, const c10::Scalar& beta) {
  const blas::Matrix<const T> a = operand<T>(g.a, g.m, g.k, g.a_row, g.a_col, false);
  const bool plain = a.transpose == blas::Transpose::No;
  const int x_step = static_cast<int>(g.k == 1 ? 1 : g.b_row);
  const int y_step = static_cast<int>(g.m == 1 ? 1 : g.c_row);
  blas::gemv(
      static_cast<int>(plain ? g.m : g.k), static_cast<int>(plain ? g.k : g.m), alpha.to<T>(), a,
      static_cast<const T*>(g.b), x_step, beta.to<T>(), static_cast<T*>(g.c), y_step);
}

// c = (alpha a b + beta c)^T, for a c with adjacent rows instead of adjacent columns.
Gemm transposed(const Gemm& g) {
  return {g.n,     g.m,     g.k, g.b,     g.b_col, g.b_row,        g.a,
          g.a_col, g.a_row, g.c, g.c_col, g.c_row, g.b_conjugated, g.a_conjugated};
}

const void* offset(const void* p, int64_t elements, int64_t size) {
  return static_cast<const char*>(p) + elements * size;
}

// The parts of c that threads compute: so many in each direction, of whole blocks.
struct Grid {
  int64_t rows, columns;
};

constexpr int64_t kBlockRows = 16;
constexpr int64_t kBlockColumns = 32;

// As many parts as there are tasks, if possible, that read as little as possible: each reads its
// rows of a and its columns of b, which may have to be packed.
Grid best_grid(int64_t m, int64_t n, int64_t tasks) {
  const auto with_columns = [&](int64_t columns) {
    return Grid{std::clamp<int64_t>(m / kBlockRows, 1, tasks / columns), columns};
  };
  const auto reads = [&](const Grid& grid) { return grid.columns * m + 2 * grid.rows * n; };
  Grid best = with_columns(1);
  for (int64_t columns = 2; columns <= std::min(tasks, n / kBlockColumns); ++columns) {
    const Grid grid = with_columns(columns);
    const int64_t more = grid.rows * grid.columns - best.rows * best.columns;
    if (more > 0 || (more == 0 && reads(grid) < reads(best))) {
      best = grid;
    }
  }
  return best;
}

// Elements of a and b have `size` bytes, those of c `c_size`.
Gemm part_of(const Gemm& g, const Grid& grid, int64_t index, int64_t size, int64_t c_size) {
  const auto bound = [](int64_t all, int64_t block, int64_t parts, int64_t i) {
    return std::min(all, at::divup(all, block) * i / parts * block);
  };
  const int64_t i = index / grid.columns, j = index % grid.columns;
  const int64_t top = bound(g.m, kBlockRows, grid.rows, i);
  const int64_t left = bound(g.n, kBlockColumns, grid.columns, j);
  Gemm part = g;
  part.m = bound(g.m, kBlockRows, grid.rows, i + 1) - top;
  part.n = bound(g.n, kBlockColumns, grid.columns, j + 1) - left;
  part.a = offset(g.a, top * g.a_row, size);
  part.b = offset(g.b, left * g.b_col, size);
  part.c = const_cast<void*>(offset(g.c, top * g.c_row + left * g.c_col, c_size));
  return part;
}

// Splits c between threads.
template <class Run>
void split_gemm(const Gemm& g, int64_t size, int64_t c_size, const Run& run) {
  constexpr double kWorthAThread = 48 * 48 * 48;
  const double work =
      static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  const auto tasks =
      static_cast<int64_t>(std::min<double>(at::get_num_threads(), work / kWorthAThread));
  if (tasks <= 1 || at::in_parallel_region()) {
    return run(g);
  }
  const Grid grid = best_grid(g.m, g.n, tasks);
  at::parallel_for(0, grid.rows * grid.columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      run(part_of(g, grid, i, size, c_size));
    }
  });
}
template <class Run>
void split_gemm(const Gemm& g, int64_t size, const Run& run) {
  split_gemm(g, size, size, run);
}

// Thresholds are measured: BLAS has special kernels for small products whose b needs no
// transposing.
bool is_small(const Gemm& g) {
  const int64_t work = g.m * g.n * g.k;
  return g.m <= 64 && g.n <= 64 && work <= (g.b_col == 1 ? 1024 : 12 * 1024);
}

// Returns b with adjacent columns; copies it to `buffer` if necessary.
template <class T>
void run_small(c10::ScalarType dtype, Gemm g, double alpha, double beta) {
  constexpr int64_t kBuffer = 64 * 64;
  T buffer[kBuffer];
  if (g.b_col != 1 && g.n > 1) {
    const T* b = static_cast<const T*>(g.b);
    for (int64_t k = 0; k < g.k; ++k) {
      for (int64_t j = 0; j < g.n; ++j) {
        buffer[k * g.n + j] = b[k * g.b_row + j * g.b_col];
      }
    }
    g.b = buffer;
    g.b_row = g.n;
    g.b_col = 1;
  }
  small_gemm_stub.on_host(dtype, g, alpha, beta);
}

bool try_small(
    c10::ScalarType dtype, const Gemm& g, const c10::Scalar& alpha, const c10::Scalar& beta) {
  if (!is_small(g) || g.k > 64) {
    return false;
  }
  if (dtype == c10::ScalarType::Float) {
    run_small<float>(dtype, g, alpha.toDouble(), beta.toDouble());
    return true;
  }
  if (dtype == c10::ScalarType::Double) {
    run_small<double>(dtype, g, alpha.toDouble(), beta.toDouble());
    return true;
  }
  return false;
}

[[noreturn]] void no_gemm(c10::ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "\"addmm_impl_cpu_\" not implemented for '", c10::toString(dtype), "'");
}

} // namespace

void gemm(c10::ScalarType dtype, Gemm job, const c10::Scalar& alpha, const c10::Scalar& beta) {
  if (job.m == 0 || job.n == 0) {
    return;
  }
  const auto size = static_cast<int64_t>(c10::elementSize(dtype));
  if (c10::isIntegralType(dtype, /*includeBool=*/false) && !c10::isBarebonesUnsignedType(dtype)) {
    const int64_t x = alpha.toLong(), y = beta.toLong();
    return split_gemm(job, size, [&](const Gemm& g) { integer_gemm_stub.on_host(size, g, x, y); });
  }
  if (!is_row_major(job.m, job.n, job.c_row, job.c_col)) {
    job = transposed(job);
  }
  if (dtype == c10::ScalarType::BFloat16 && has_tile_unit()) {
    return split_gemm(job, size, [&](const Gemm& g) {
      tile_gemm_stub.on_host(dtype, g, alpha.toDouble(), beta.toDouble());
    });
  }
  const bool half = dtype == c10::ScalarType::Half || dtype == c10::ScalarType::BFloat16;
  if (half || !(c10::isFloatingType(dtype) || c10::isComplexType(dtype))) {
    no_gemm(dtype);
  }
  if (try_small(dtype, job, alpha, beta)) {
    return;
  }
  keep_blas_on_one_thread();
  if (c10::isFloatingType(dtype) && (job.n == 1 || job.m == 1) && job.k > 0) {
    job = job.n == 1 ? job : transposed(job);
    return split_gemm(job, size, [&](const Gemm& g) {
      dtype == c10::ScalarType::Float ? blas_gemv<float>(g, alpha, beta)
                                      : blas_gemv<double>(g, alpha, beta);
    });
  }
  split_gemm(job, size, [&](const Gemm& g) {
    const bool runs = g.k > 0 &&
        (c10::isFloatingType(dtype)
             ? packed_gemm_stub.on_host(dtype, g, alpha.toDouble(), beta.toDouble())
             : complex_gemm_stub.on_host(
                   dtype, g, alpha.toComplexDouble(), beta.toComplexDouble()));
    if (!runs) {
      blas_gemm(dtype, g, alpha, beta);
    }
  });
}

void byte_gemm(const Gemm& job) {
  split_gemm(job, 1, 4, [&](const Gemm& g) {
    tile_gemm_stub.on_host(c10::ScalarType::Char, g, 1.0, 0.0);
  });
}

void gemm_batch(
    c10::ScalarType dtype, const Gemm& first, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta) {
  if (count == 1) {
    return gemm(dtype, first, alpha, beta);
  }
  const auto size = static_cast<int64_t>(c10::elementSize(dtype));
  const int64_t work = std::max<int64_t>(1, first.m * first.n * first.k);
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Gemm g = first;
      g.a = offset(first.a, i * a_step, size);
      g.b = offset(first.b, i * b_step, size);
      g.c = const_cast<void*>(offset(first.c, i * c_step, size));
      gemm(dtype, g, alpha, beta);
    }
  };
  if (count < at::get_num_threads()) {
    return run(0, count);
  }
  at::parallel_for(0, count, std::max<int64_t>(1, 64 * 1024 / work), run);
}

namespace {

template <class T>
void dot_strided(
    int64_t n, const void* x, int64_t x_step, const void* y, int64_t y_step, void* out) {
  const T* p = static_cast<const T*>(x);
  const T* q = static_cast<const T*>(y);
  T total(0);
  for (int64_t i = 0; i < n; ++i) {
    total = static_cast<T>(total + p[i * x_step] * q[i * y_step]);
  }
  *static_cast<T*>(out) = total;
}

template <class T, class Wide>
void dot_floating(
    c10::ScalarType dtype, int64_t n, const void* x, int64_t x_step, const void* y, int64_t y_step,
    void* out) {
  double total = 0;
  if ((x_step == 1 && y_step == 1) || n == 1) {
    total = dot_stub.on_host(dtype, n, x, y);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      total += static_cast<double>(
          static_cast<Wide>(static_cast<const T*>(x)[i * x_step]) *
          static_cast<Wide>(static_cast<const T*>(y)[i * y_step]));
    }
  }
  *static_cast<T*>(out) = static_cast<T>(static_cast<Wide>(total));
}

template <class T>
void dot_complex(
    int64_t n, const void* x, int64_t x_step, const void* y, int64_t y_step, bool conjugated,
    void* out) {
  using Number = c10::complex<T>;
  if ((x_step == 1 && y_step == 1) || n == 1) {
    const auto total =
        complex_dot_stub.on_host(c10::CppTypeToScalarType<T>::value, n, x, y, conjugated);
    *static_cast<Number*>(out) = Number(total);
    return;
  }
  if (!conjugated) {
    return dot_strided<Number>(n, x, x_step, y, y_step, out);
  }
  Number total(0);
  for (int64_t i = 0; i < n; ++i) {
    total += std::conj(static_cast<const Number*>(x)[i * x_step]) *
        static_cast<const Number*>(y)[i * y_step];
  }
  *static_cast<Number*>(out) = total;
}

} // namespace

void dot(
    c10::ScalarType dtype, int64_t n, const void* x, int64_t x_step, const void* y, int64_t y_step,
    void* out, bool conjugated) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return dot_floating<float, float>(dtype, n, x, x_step, y, y_step, out);
    case c10::ScalarType::Double:
      return dot_floating<double, double>(dtype, n, x, x_step, y, y_step, out);
    case c10::ScalarType::Half:
      return dot_floating<c10::Half, float>(dtype, n, x, x_step, y, y_step, out);
    case c10::ScalarType::BFloat16:
      return dot_floating<c10::BFloat16, float>(dtype, n, x, x_step, y, y_step, out);
    case c10::ScalarType::ComplexFloat:
      return dot_complex<float>(n, x, x_step, y, y_step, conjugated, out);
    case c10::ScalarType::ComplexDouble:
      return dot_complex<double>(n, x, x_step, y, y_step, conjugated, out);
    case c10::ScalarType::Byte:
    case c10::ScalarType::Char:
      return dot_strided<uint8_t>(n, x, x_step, y, y_step, out);
    case c10::ScalarType::Short:
      return dot_strided<int16_t>(n, x, x_step, y, y_step, out);
    case c10::ScalarType::Int:
      return dot_strided<int32_t>(n, x, x_step, y, y_step, out);
    case c10::ScalarType::Long:
      return dot_strided<int64_t>(n, x, x_step, y, y_step, out);
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(
          false, "\"dot\" not implemented for '", c10::toString(dtype), "'");
  }
}

} // namespace at::native
