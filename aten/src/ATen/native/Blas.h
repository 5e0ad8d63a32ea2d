#pragma once

// Matrix products over raw memory: the BLAS library for float, double and complex, called on one
// thread inside our parallel_for; our own kernels for small products and integers.

#include <ATen/native/DispatchStub.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/util/complex.h>

#include <cstdint>

namespace at::native {

// c[m, n] = alpha * a[m, k] @ b[k, n] + beta * c. Strides are in elements. If beta is zero, c is
// not read. The elements of an operand whose transpose BLAS reads may be conjugated.
struct Gemm {
  int64_t m, n, k;
  const void* a;
  int64_t a_row, a_col;
  const void* b;
  int64_t b_row, b_col;
  void* c;
  int64_t c_row, c_col;
  bool a_conjugated = false, b_conjugated = false;
};

// Whether BLAS can read a matrix as it is or as its transpose.
inline bool is_row_major(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
  return (col_stride == 1 || cols == 1) && (row_stride >= (cols > 1 ? cols : 1) || rows == 1);
}
inline bool is_blas_layout(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
  return is_row_major(rows, cols, row_stride, col_stride) ||
      is_row_major(cols, rows, col_stride, row_stride);
}

// Supports float, double, complex, the signed and unsigned integers up to 64 bits and, where
// has_tile_unit(), bfloat16. Floating operands must satisfy is_blas_layout. Raises
// NotImplementedError for other dtypes.
void gemm(c10::ScalarType dtype, Gemm job, const c10::Scalar& alpha, const c10::Scalar& beta);

// Multiplies int8 into int32, where has_tile_unit(). Operands satisfy is_blas_layout.
void byte_gemm(const Gemm& job);

// Multiplies `count` pairs of matrices at the given element offsets.
void gemm_batch(
    c10::ScalarType dtype, const Gemm& first, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta);

// Writes x . y to one element of dtype at `out`; steps are in elements. Complex numbers of x may be
// conjugated.
void dot(
    c10::ScalarType dtype, int64_t n, const void* x, int64_t x_step, const void* y, int64_t y_step,
    void* out, bool conjugated = false);

// Computes products too small to benefit from BLAS; b and c have adjacent columns. `alpha` and
// `beta` point to elements of dtype. Returns false for a dtype without such a kernel.
using small_gemm_fn = void (*)(c10::ScalarType dtype, const Gemm& job, double alpha, double beta);
DECLARE_DISPATCH(small_gemm_fn, small_gemm_stub);

// Computes products of float and double with any strides of a and b; c has adjacent columns.
// Returns false, without doing anything, where this would not be faster than BLAS.
using packed_gemm_fn = bool (*)(c10::ScalarType dtype, const Gemm& job, double alpha, double beta);
DECLARE_DISPATCH(packed_gemm_fn, packed_gemm_stub);

// The same for complex numbers.
using complex_gemm_fn = bool (*)(
    c10::ScalarType dtype, const Gemm& job, c10::complex<double> alpha, c10::complex<double> beta);
DECLARE_DISPATCH(complex_gemm_fn, complex_gemm_stub);

// The same as packed_gemm_stub, whatever the size: for BLAS=Builtin. k is at least 1, and operands
// satisfy is_blas_layout.
using built_in_gemm_fn =
    void (*)(c10::ScalarType dtype, const Gemm& job, double alpha, double beta);
DECLARE_DISPATCH(built_in_gemm_fn, built_in_gemm_stub);

// Computes products of bfloat16, and those of int8 into int32 (then alpha is 1 and beta 0), where
// has_tile_unit().
using tile_gemm_fn = void (*)(c10::ScalarType dtype, const Gemm& job, double alpha, double beta);
DECLARE_DISPATCH(tile_gemm_fn, tile_gemm_stub);

using integer_gemm_fn =
    void (*)(int64_t element_size, const Gemm& job, int64_t alpha, int64_t beta);
DECLARE_DISPATCH(integer_gemm_fn, integer_gemm_stub);

// Dot products of float, double and the half types with adjacent elements.
using dot_fn = double (*)(c10::ScalarType dtype, int64_t n, const void* x, const void* y);
DECLARE_DISPATCH(dot_fn, dot_stub);

// The same of complex numbers, whose parts are of `dtype`: float or double.
using complex_dot_fn = c10::complex<double> (*)(
    c10::ScalarType dtype, int64_t n, const void* x, const void* y, bool conjugated);
DECLARE_DISPATCH(complex_dot_fn, complex_dot_stub);

} // namespace at::native
