#pragma once

// LU factorizations of small real matrices on the host, and of panels of larger ones, for which a
// call of LAPACK costs more than its arithmetic.

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

constexpr int64_t kMaxSmallLu = 32;

// LAPACK's getrf, for at most kMaxSmallLu adjacent columns of at most kMaxSmallLu numbers. Returns
// `info`.
struct SmallLuCall {
  void* a;
  int32_t* pivots;
  int64_t m, n;
  bool is_double;
};
DECLARE_DISPATCH(int (*)(const SmallLuCall&), small_lu_stub);

// The same for `n` columns that begin `step` numbers apart, of any number of rows that is at least
// n. Pivots count from the first of these rows.
struct LuPanelCall {
  void* a;
  int32_t* pivots;
  int64_t m, n, step;
  bool is_double;
};
DECLARE_DISPATCH(int (*)(const LuPanelCall&), lu_panel_stub);

} // namespace at::native
