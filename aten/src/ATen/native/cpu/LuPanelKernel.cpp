// LU factorizations of tall panels, eight columns at a time: those are eliminated one by one, and
// their contributions to the other columns of the panel are subtracted together.

#include <ATen/native/SmallLu.h>
#include <ATen/native/cpu/FoldHalves.h>
#include <ATen/native/cpu/PanelSums.h>

#include <cmath>
#include <limits>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <class T>
Lanes<T> magnitude(Lanes<T> v) {
  return v < 0 ? -v : v;
}

// The row of the first number of the largest magnitude; NaN counts only in the first row, as in
// LAPACK.
template <class T>
int64_t find_pivot(const T* column, int64_t begin, int64_t end) {
  constexpr int64_t L = kLanes<T>;
  Lanes<T> most[2] = {};
  for_registers<T>(begin, end, [&](int64_t i, const auto& load, const auto& /*store*/) {
    const auto size = magnitude<T>(load(column + i));
    auto& to = most[i / L % 2];
    to = size > to ? size : to;
  });
  const T largest = fold_halves<T, kLanes<T>>(
      most[0] > most[1] ? most[0] : most[1], [](auto a, auto b) { return a > b ? a : b; });
  if (column[begin] != column[begin] || largest == 0) {
    return begin;
  }
  const auto matches = [&](int64_t i) { return std::abs(column[i]) == largest; };
  int64_t i = begin;
  for (; i + L <= end; i += L) {
    if (at::vec::any_lane(magnitude<T>(load_lanes<T>(column + i)) == splat<T>(largest))) {
      break;
    }
  }
  while (!matches(i)) {
    ++i;
  }
  return i;
}

template <class T>
void divide(T* column, int64_t begin, int64_t end, T divisor) {
  const bool inverts = std::abs(divisor) >= std::numeric_limits<T>::min();
  const auto by = splat<T>(inverts ? 1 / divisor : divisor);
  for_registers<T>(begin, end, [&](int64_t i, const auto& load, const auto& store) {
    const auto v = load(column + i);
    store(column + i, inverts ? v * by : v / by);
  });
}

// Columns [first, first + width) of a panel, with exchanges of rows in these columns only.
template <class T>
int factor_group(const LuPanelCall& call, int64_t first, int64_t width) {
  const int64_t m = call.m, step = call.step, last = first + width;
  T* a = static_cast<T*>(call.a);
  int info = 0;
  for (int64_t k = first; k < last; ++k) {
    T* column = a + k * step;
    const int64_t pivot = find_pivot(column, k, m);
    call.pivots[k] = static_cast<int32_t>(pivot) + 1;
    if (column[pivot] == 0) {
      info = info == 0 ? static_cast<int>(k) + 1 : info;
      continue;
    }
    for (int64_t j = first; pivot != k && j < last; ++j) {
      std::swap(a[j * step + k], a[j * step + pivot]);
    }
    divide(column, k + 1, m, column[k]);
    for_registers<T>(k + 1, m, [&](int64_t i, const auto& load, const auto& store) {
      const auto factor = load(column + i);
      for (int64_t j = k + 1; j < last; ++j) {
        T* to = a + j * step;
        store(to + i, at::vec::fma(splat<T>(-to[k]), factor, load(to + i)));
      }
    });
  }
  return info;
}

// Eliminates the rows of a group from G columns.
template <class T, int G>
void eliminate(const LuPanelCall& call, int64_t first, int64_t width, T* columns) {
  const int64_t step = call.step;
  const T* group = static_cast<const T*>(call.a) + first * step;
  T factors[kPanel][G];
  solve_block<T, G, /*kCompact=*/true>(
      group + first, step, static_cast<int>(width), /*upper=*/false, /*unit=*/true, columns + first,
      step, factors);
  add_panel<T, G>(group, step, factors, columns, step, first + width, call.m);
}

template <class T>
int factor(const LuPanelCall& call) {
  T* a = static_cast<T*>(call.a);
  int info = 0;
  for (int64_t first = 0; first < call.n; first += kPanel) {
    const int64_t width = std::min<int64_t>(kPanel, call.n - first), next = first + width;
    const int failure = factor_group<T>(call, first, width);
    info = info == 0 ? failure : info;
    for (int64_t j = 0; j < call.n; ++j) {
      T* column = a + j * call.step;
      for (int64_t i = first; (j < first || j >= next) && i < next; ++i) {
        std::swap(column[i], column[call.pivots[i] - 1]);
      }
    }
    int64_t j = next;
    for (; j + 8 <= call.n; j += 8) {
      eliminate<T, 8>(call, first, width, a + j * call.step);
    }
    for (; j < call.n; ++j) {
      eliminate<T, 1>(call, first, width, a + j * call.step);
    }
  }
  return info;
}

int lu_panel_kernel(const LuPanelCall& call) {
  return call.is_double ? factor<double>(call) : factor<float>(call);
}

} // namespace

REGISTER_DISPATCH(lu_panel_stub, &lu_panel_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
