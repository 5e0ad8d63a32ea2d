// Substitution in panels of eight columns of the matrix: the rows of a panel are solved in a small
// block, and what they contribute to the other rows is subtracted from up to eight right-hand sides
// while the panel's columns are in registers.

#include <ATen/native/Substitution.h>
#include <ATen/native/cpu/PanelSums.h>
#include <ATen/native/cpu/TransposedCopy.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <class T, int G>
void solve_columns(const TriangularSystem& system, const T* a, int64_t step, T* x) {
  const int64_t n = system.n;
  T factors[kPanel][G];
  for (int64_t done = 0; done < n; done += kPanel) {
    const int64_t width = std::min<int64_t>(kPanel, n - done);
    const int64_t first = system.upper ? n - done - width : done;
    solve_block<T, G>(
        a + first * step + first, step, static_cast<int>(width), system.upper, system.unit,
        x + first, system.x_step, factors);
    // A panel that is not whole is the last.
    if (done + width < n) {
      add_panel<T, G>(
          a + first * step, step, factors, x, system.x_step, system.upper ? 0 : first + width,
          system.upper ? first : n);
    }
  }
}

template <class T>
void substitute(const TriangularSystem& system) {
  const int64_t n = system.n;
  const T* a = static_cast<const T*>(system.a);
  int64_t step = system.col_step;
  if (system.row_step != 1) {
    T* columns = static_cast<T*>(system.workspace);
    constexpr int64_t L = kLanes<T>;
    for (int64_t k = 0; k < n; k += L) {
      const int64_t begin = system.upper ? 0 : k, end = system.upper ? std::min(n, k + L) : n;
      copy_transposed<T>(
          a + begin * system.row_step + k, system.row_step, end - begin, std::min(L, n - k),
          columns + k * n + begin, n);
    }
    a = columns;
    step = n;
  }
  T* x = static_cast<T*>(system.x);
  int64_t j = 0;
  for (; j + 8 <= system.count; j += 8) {
    solve_columns<T, 8>(system, a, step, x + j * system.x_step);
  }
  for (; j < system.count; ++j) {
    solve_columns<T, 1>(system, a, step, x + j * system.x_step);
  }
}

void substitute_kernel(const TriangularSystem& system) {
  system.is_double ? substitute<double>(system) : substitute<float>(system);
}

} // namespace

REGISTER_DISPATCH(substitute_stub, &substitute_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
