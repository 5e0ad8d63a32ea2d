#pragma once

// Reduction of real symmetric matrices to tridiagonal form on the host, for matrices whose halves
// fit into the second-level cache.

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

// The numbers of `workspace` that a matrix of n rows needs.
constexpr int64_t tridiagonal_workspace(int64_t n) {
  constexpr int64_t kLongest = 16; // lanes of any register
  const int64_t side = (n + kLongest - 1) / kLongest * kLongest;
  return side * (side + 4);
}

// LAPACK's sytrd for the lower triangle of n adjacent columns, multiplied by a power of two so that
// the largest number is about 1. Only the triangle that `upper` names is read. The reflectors, with
// their factors in tau, are written to the lower triangle as LAPACK does. If tau is null, the
// matrix is left alone, and the diagonal becomes the eigenvalues in ascending order. The workspace
// is aligned as a tensor. Returns the power of two, or 0 if numbers are too large, too small or not
// finite, or the eigenvalues are not found; the matrix is left alone then.
struct TridiagonalCall {
  void *a, *diagonal, *off_diagonal, *tau, *workspace;
  int64_t n;
  bool upper, is_double;
};
DECLARE_DISPATCH(double (*)(const TridiagonalCall&), tridiagonal_stub);

} // namespace at::native
