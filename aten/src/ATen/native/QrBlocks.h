#pragma once

// QR factorizations of real matrices on the host in panels of columns: a panel's reflectors
// together are I - V T V^T (Schreiber and Van Loan, "A storage-efficient WY representation for
// products of Householder transformations", 1989), so that most of the arithmetic is products of
// matrices, which threads share. Columns are adjacent; arguments and results are LAPACK's.

#include <cstdint>

namespace at::native {

// geqrf
template <class T>
void factor_qr(T* a, int64_t m, int64_t n, T* tau);

// orgqr: the first n columns of Q from k reflectors.
template <class T>
void form_q(T* q, int64_t m, int64_t n, int64_t k, const T* tau);

// ormqr: replaces the `count` columns of c, of m numbers, by Q c or Q^T c. The columns of a and c
// begin `a_step` and `c_step` apart.
template <class T>
void apply_q(
    const T* a, int64_t a_step, int64_t m, int64_t k, const T* tau, T* c, int64_t c_step,
    int64_t count, bool transposed);

} // namespace at::native
