#pragma once

// QR factorizations of small real matrices on the host, for which a call of LAPACK costs more than
// its arithmetic.

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

constexpr int64_t kMaxHouseholderRows = 128, kMaxHouseholderColumns = 32;

// `a` has adjacent columns of `rows` numbers. Factoring leaves R and, below it, the reflectors,
// with their factors in tau, as LAPACK's geqrf does. Otherwise the first `count` reflectors, which
// have to be no more than the columns, are replaced by the columns of Q, as orgqr does.
struct HouseholderCall {
  void *a, *tau;
  int64_t rows, columns, count;
  bool factors, is_double;
};

DECLARE_DISPATCH(void (*)(const HouseholderCall&), householder_stub);

inline bool suits_householder(int64_t rows, int64_t columns) {
  return rows <= kMaxHouseholderRows && columns <= kMaxHouseholderColumns;
}

} // namespace at::native
