#pragma once

// Eigenvalues and singular values of small real matrices on the host, for which the calls inside a
// LAPACK routine cost more than its arithmetic.

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

constexpr int64_t kMaxSmallSpectrum = 32;

// Eigenvalues of a symmetric matrix of `n` adjacent columns, of which one triangle is read, in
// ascending order. The vectors replace the matrix. Returns false, and leaves the matrix, if numbers
// are too large or too small, or the iteration does not converge.
struct SmallEighCall {
  void *a, *values;
  int64_t n;
  bool upper, vectors, is_double;
};
DECLARE_DISPATCH(bool (*)(const SmallEighCall&), small_eigh_stub);

// Singular values of a matrix of floats in descending order: square roots of the eigenvalues of
// A^T A in double, which lose no digit of a float. At least one of m and n is at most
// kMaxSmallSpectrum. Returns false as above.
struct SmallSvdvalsCall {
  const float* a;
  float* values;
  int64_t m, n;
};
DECLARE_DISPATCH(bool (*)(const SmallSvdvalsCall&), small_svdvals_stub);

} // namespace at::native
