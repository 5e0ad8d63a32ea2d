#pragma once

// The factorizations behind torch.linalg, on any device. Matrices are batches that are not empty,
// whose columns are contiguous (LinalgBatch.h), of dtype float, double or their complex forms; the
// second argument of those that solve or invert may have contiguous rows instead on the CPU.
// What goes in by value comes out by reference: a routine overwrites its first argument. `info` has
// one number for each matrix, LAPACK's.

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>

#include <optional>
#include <string_view>

namespace at::native {

// The factor of a Hermitian matrix, of which one triangle is read.
using cholesky_fn = void (*)(const Tensor& a, const Tensor& info, bool upper);
DECLARE_DISPATCH(cholesky_fn, cholesky_stub);

// On the CPU: writes the inverses of matrices that have been factored so.
using cholesky_invert_fn = void (*)(const Tensor& inverse, const Tensor& factors, bool upper);
DECLARE_DISPATCH(cholesky_invert_fn, cholesky_invert_stub);

// `pivots` are the rows, from 1, that each row changed places with.
using lu_factor_fn = void (*)(const Tensor& a, const Tensor& pivots, const Tensor& info);
DECLARE_DISPATCH(lu_factor_fn, lu_factor_stub);

// Solves with op(A), for LAPACK's 'N', 'T' or 'C'.
using lu_solve_fn = void (*)(const Tensor& b, const Tensor& factors, const Tensor& pivots, char op);
DECLARE_DISPATCH(lu_solve_fn, lu_solve_stub);

// On the CPU: writes the inverses of matrices from their factors and pivots.
using lu_invert_fn = void (*)(const Tensor& inverse, const Tensor& factors, const Tensor& pivots);
DECLARE_DISPATCH(lu_invert_fn, lu_invert_stub);

// From pivots [count, least] to the row of A that each row of L U is [count, rows], of int64.
using pivot_order_fn = void (*)(const Tensor& pivots, const Tensor& order);
DECLARE_DISPATCH(pivot_order_fn, pivot_order_stub);

// A singular matrix gives infinities, as division by zero does.
using triangular_solve_fn = void (*)(const Tensor& b, const Tensor& a, bool upper, bool unit);
DECLARE_DISPATCH(triangular_solve_fn, triangular_solve_stub);

// Reflectors below the diagonal, with their factors in `tau`; and the orthogonal matrix of them,
// from a copy of the reflectors.
using qr_factor_fn = void (*)(const Tensor& a, const Tensor& tau);
DECLARE_DISPATCH(qr_factor_fn, qr_factor_stub);
using qr_matrix_fn = void (*)(const Tensor& q, const Tensor& tau);
DECLARE_DISPATCH(qr_matrix_fn, qr_matrix_stub);

// The vectors replace the matrix, of which one triangle is read.
using eigh_fn =
    void (*)(const Tensor& a, const Tensor& values, const Tensor& info, bool upper, bool vectors);
DECLARE_DISPATCH(eigh_fn, eigh_stub);

// U and V^H are undefined if only values are wanted. `driver` is cuSOLVER's.
using svd_fn = void (*)(
    const Tensor& a, const Tensor& u, const Tensor& values, const Tensor& vh, const Tensor& info,
    std::optional<std::string_view> driver);
DECLARE_DISPATCH(svd_fn, svd_stub);

// On the CPU: replaces the columns of B by Q^T B, and their first rows by the solutions of least
// squares, for real matrices with at least as many rows as columns. Returns false, having
// overwritten both, unless the conditions of all matrices are surely below the limit.
using lstsq_fn = bool (*)(const Tensor& a, const Tensor& b, double limit);
DECLARE_DISPATCH(lstsq_fn, lstsq_stub);

} // namespace at::native
