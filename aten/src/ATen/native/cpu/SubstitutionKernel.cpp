// Substitution in panels of eight columns of the matrix: the rows of a panel are solved in a small
// block, and what they contribute to the other rows is subtracted from up to eight right-hand sides
// while the panel's columns are in registers.

#include <ATen/native/Substitution.h>
#include <ATen/native/cpu/TransposedCopy.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr int kPanel = 8;

// x[j][begin..end) += factors[k][j] * columns[k][begin..end) for all k and j.
template <class T, int G>
void add_panel(
    const T* columns, int64_t step, const T (&factors)[kPanel][G], T* x, int64_t x_step,
    int64_t begin, int64_t end) {
  constexpr int64_t L = kLanes<T>;
  const auto add = [&](int64_t i, const auto& load, const auto& store) {
    Lanes<T> column[kPanel];
#pragma GCC unroll 8
    for (int k = 0; k < kPanel; ++k) {
      column[k] = load(columns + k * step + i);
    }
    const T* factor = &factors[0][0];
    asm("" : "+r"(factor)); // or the compiler keeps all of them as registers in memory
#pragma GCC unroll 8
    for (int j = 0; j < G; ++j) {
      Lanes<T> sum = load(x + j * x_step + i);
#pragma GCC unroll 8
      for (int k = 0; k < kPanel; ++k) {
        sum = at::vec::fma(splat<T>(factor[k * G + j]), column[k], sum);
      }
      store(x + j * x_step + i, sum);
    }
  };
  // Registers start at multiples of their length, so that those of aligned matrices do not cross
  // cache lines.
  for (int64_t i = begin; i < end;) {
    const int64_t count = std::min(L - i % L, end - i);
    if (count == L) {
      add(
          i, [](const T* p) { return load_lanes<T>(p); },
          [](T* p, Lanes<T> v) { store_lanes<T>(p, v); });
    } else {
      add(
          i, [count](const T* p) { return at::vec::load_first<T, L>(p, count); },
          [count](T* p, Lanes<T> v) { at::vec::store_first<T, L>(p, v, count); });
    }
    i += count;
  }
}

// Solves `width` rows of G right-hand sides; factors become the negated solutions.
template <class T, int G>
void solve_block(
    const T* a, int64_t step, int width, bool upper, bool unit, T* x, int64_t x_step,
    T (&factors)[kPanel][G]) {
  for (int r = 0; r < width; ++r) {
    for (int j = 0; j < G; ++j) {
      factors[r][j] = x[j * x_step + r];
    }
  }
  for (int done = 0; done < width; ++done) {
    const int r = upper ? width - 1 - done : done;
    for (int j = 0; !unit && j < G; ++j) {
      factors[r][j] /= a[r * step + r];
    }
    for (int s = upper ? 0 : r + 1; s < (upper ? r : width); ++s) {
      for (int j = 0; j < G; ++j) {
        factors[s][j] -= a[r * step + s] * factors[r][j];
      }
    }
  }
  for (int r = 0; r < width; ++r) {
    for (int j = 0; j < G; ++j) {
      x[j * x_step + r] = factors[r][j];
      factors[r][j] = -factors[r][j];
    }
  }
}

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
