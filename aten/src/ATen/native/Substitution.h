#pragma once

// Triangular systems on the host.

#include <ATen/native/DispatchStub.h>

#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// The order up to which substitution alone is faster than products of blocks.
constexpr int64_t kMaxSubstitution = 256;

// Solves A X = B in place for n of at most kMaxSubstitution. Element (i, k) of A is
// a[i * row_step + k * col_step], and one of the steps is 1; the columns of X are adjacent numbers.
// Unless row_step is 1, `workspace` holds n * n real numbers; complex systems need none. Division
// by zero gives infinities, or NaN in complex numbers.
struct TriangularSystem {
  const void* a;
  int64_t row_step, col_step;
  void* x;
  int64_t x_step;
  int64_t n, count;
  bool upper, unit;
  c10::ScalarType dtype; // float, double or their complex forms
  void* workspace;
};

DECLARE_DISPATCH(void (*)(const TriangularSystem&), substitute_stub);

} // namespace at::native
