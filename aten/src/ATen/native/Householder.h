#pragma once

// QR factorizations of real matrices on the host: small ones, and panels of larger ones, for which
// a call of LAPACK costs more than its arithmetic.

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

constexpr int64_t kMaxHouseholderRows = 2048, kMaxHouseholderColumns = 32;

// The columns of `a` begin `step` numbers apart and have `rows` numbers. Factoring leaves R and,
// below it, the reflectors, with their factors in tau, as LAPACK's geqrf does. Otherwise the first
// `count` reflectors, which have to be no more than the columns, are replaced by the columns of Q,
// as orgqr does.
struct HouseholderCall {
  void *a, *tau;
  int64_t rows, columns, count, step;
  bool factors, is_double;
};

DECLARE_DISPATCH(void (*)(const HouseholderCall&), householder_stub);

inline bool suits_householder(int64_t rows, int64_t columns) {
  return rows <= kMaxHouseholderRows && columns <= kMaxHouseholderColumns;
}

} // namespace at::native
