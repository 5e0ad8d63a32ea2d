// Gaussian elimination with exchanges of rows, column by column (Golub and Van Loan, "Matrix
// Computations", 3.4). A column is a few registers.

#include <ATen/native/SmallLu.h>
#include <ATen/native/cpu/Lanes.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <class T, int R>
int factor(const SmallLuCall& call) {
  constexpr int64_t L = kLanes<T>, kStep = R * L;
  const int64_t m = call.m, n = call.n;
  T* given = static_cast<T*>(call.a);
  alignas(64) T a[kMaxSmallLu * kStep];
  alignas(64) T multipliers[kStep];
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t r = 0; r < R; ++r) {
      store_lanes<T>(
          a + j * kStep + r * L,
          load_up_to<T>(given + j * m + std::min(r * L, m), std::max<int64_t>(m - r * L, 0), T(0)));
    }
  }
  int info = 0;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    T* column = a + k * kStep;
    int64_t pivot = k;
    T largest = std::abs(column[k]);
    for (int64_t i = k + 1; i < m; ++i) {
      const T size = std::abs(column[i]);
      pivot = size > largest ? i : pivot;
      largest = size > largest ? size : largest;
    }
    call.pivots[k] = static_cast<int32_t>(pivot) + 1;
    if (largest == 0) {
      info = info == 0 ? static_cast<int>(k) + 1 : info;
      continue;
    }
    if (pivot != k) {
      for (int64_t j = 0; j < n; ++j) {
        std::swap(a[j * kStep + k], a[j * kStep + pivot]);
      }
    }
    std::fill_n(multipliers, k + 1, T(0));
    const T divisor = column[k];
    for (int64_t i = k + 1; i < kStep; ++i) {
      multipliers[i] = column[i] /= divisor;
    }
    Lanes<T> factors[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      factors[r] = load_lanes<T>(multipliers + r * L);
    }
    for (int64_t j = k + 1; j < n; ++j) {
      T* to = a + j * kStep;
      const auto by = splat<T>(-to[k]);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        store_lanes<T>(to + r * L, at::vec::fma(by, factors[r], load_lanes<T>(to + r * L)));
      }
    }
  }
  for (int64_t j = 0; j < n; ++j) {
    std::copy_n(a + j * kStep, m, given + j * m);
  }
  return info;
}

// With as many registers for a column as it needs, a power of two.
template <class T, int R = 1>
int factor_columns(const SmallLuCall& call) {
  if constexpr (R * kLanes<T> < kMaxSmallLu) {
    if (call.m > R * kLanes<T>) {
      return factor_columns<T, 2 * R>(call);
    }
  }
  return factor<T, R>(call);
}

int small_lu_kernel(const SmallLuCall& call) {
  return call.is_double ? factor_columns<double>(call) : factor_columns<float>(call);
}

} // namespace

REGISTER_DISPATCH(small_lu_stub, &small_lu_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
