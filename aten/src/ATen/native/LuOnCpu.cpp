// LU factorizations on the host, and what they solve, for LinalgStubs.h.

#include <ATen/native/LinalgStubs.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/SmallLu.h>
#include <ATen/native/TinyLu.h>
#include <ATen/native/TriangularBlocks.h>
#include <ATen/native/blas/Lapack.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace at::native {

DEFINE_DISPATCH(lu_factor_stub);
DEFINE_DISPATCH(lu_solve_stub);
DEFINE_DISPATCH(lu_invert_stub);
DEFINE_DISPATCH(pivot_order_stub);
DEFINE_DISPATCH(small_lu_stub);
DEFINE_DISPATCH(lu_panel_stub);

namespace {

int64_t area(const Tensor& matrices) {
  return matrices.size(-1) * matrices.size(-2);
}

// Exchanges the numbers of a column, in the order of the pivots.
template <class T>
void exchange(T* column, const int32_t* pivots, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    std::swap(column[i], column[pivots[i] - 1]);
  }
}

// A matrix that is too large for one panel, by halves of its columns: the larger the products, the
// faster they are.
template <class T>
struct PanelLu {
  T* a;
  int64_t m;
  int32_t* pivots;
  int64_t panel; // columns that are not halved
  int info = 0;

  int factor_panel(T* top, int32_t* order, int rows, int columns) const {
    if constexpr (std::is_floating_point_v<T>) {
      return lu_panel_stub.on_host(
          LuPanelCall{top, order, rows, columns, m, std::is_same_v<T, double>});
    } else {
      return blas::getrf(rows, columns, top, static_cast<int>(m), order);
    }
  }

  // Factors columns of which all before them are factored and have updated these.
  void factor(int64_t begin, int64_t end) {
    if (end - begin <= panel) {
      const int failure = factor_panel(
          a + begin * (m + 1), pivots + begin, static_cast<int>(m - begin),
          static_cast<int>(end - begin));
      info = info == 0 && failure > 0 ? static_cast<int>(failure + begin) : info;
      for (int64_t i = begin; i < end; ++i) {
        pivots[i] += static_cast<int32_t>(begin);
      }
      return;
    }
    const int64_t half = begin + ((end - begin) / 2 + panel - 1) / panel * panel;
    factor(begin, half);
    update(begin, half, end);
    factor(half, end);
    for (int64_t j = begin; j < half; ++j) {
      exchange(a + j * m, pivots, half, end);
    }
  }

  // Eliminates the rows of the factored columns [begin, next) from the columns [next, end).
  void update(int64_t begin, int64_t next, int64_t end) {
    const int64_t width = next - begin;
    const T* corner = a + begin * (m + 1);
    const int64_t grain = std::max<int64_t>(16, (1 << 17) / ((m - begin) * width));
    at::parallel_for(next, end, grain, [&](int64_t first, int64_t last) {
      T* columns = a + first * m;
      for (int64_t j = first; j < last; ++j) {
        exchange(a + j * m, pivots, begin, next);
      }
      solve_triangle<T>(
          corner, Steps{1, m}, width, columns + begin, m, last - first, Triangle{false, true});
      if (next < m) {
        multiply<T>(
            m - next, last - first, width, T(-1), {corner + width, {1, m}},
            {columns + begin, {1, m}}, T(1), {columns + next, {1, m}});
      }
    });
  }
};

// getrf
template <class T>
int lu_factor(T* a, int m, int n, int32_t* pivots) {
  if constexpr (std::is_floating_point_v<T>) {
    if (m == n && n > 0 && n <= kMaxTinyLu) {
      return with_tiny_size(n, [&](auto size) { return factor_tiny<size>(a, pivots); });
    }
    if (std::max(m, n) <= kMaxSmallLu) {
      return small_lu_stub.on_host(SmallLuCall{a, pivots, m, n, std::is_same_v<T, double>});
    }
  }
  const int64_t least = std::min(m, n);
  PanelLu<T> job{a, m, pivots, least < 192 ? 32 : 64};
  job.factor(0, least);
  if (least < n) {
    job.update(0, least, n);
  }
  return job.info;
}

void lu_factor_cpu(const Tensor& a, const Tensor& pivots, const Tensor& info) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "lu_cpu", [&] {
    const int m = to_int(a.size(-2)), n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* order = pivots.mutable_data_ptr<int32_t>();
    auto* status = info.mutable_data_ptr<int32_t>();
    for_each_matrix(a, [&](int64_t i) {
      status[i] = lu_factor<scalar_t>(data + i * area(a), m, n, order + i * std::min(m, n));
    });
  });
}

template <typename T>
void lu_solve(
    const T* factors, Steps steps, int64_t n, const int32_t* pivots, T* x, int64_t count,
    bool transposed) {
  if (!transposed) {
    // Column by column, each of which fits into the nearest cache.
    for (int64_t j = 0; j < count; ++j) {
      exchange(x + j * n, pivots, 0, n);
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (n > 0 && n <= kMaxTinyLu) {
        return with_tiny_size(
            n, [&](auto size) { solve_tiny<size>(factors, steps.row, steps.col, x, count); });
      }
    }
    solve_triangle(factors, steps, n, x, n, count, Triangle{false, true});
    solve_triangle(factors, steps, n, x, n, count, Triangle{true, false});
    return;
  }
  const Steps turned{steps.col, steps.row};
  solve_triangle(factors, turned, n, x, n, count, Triangle{false, false});
  solve_triangle(factors, turned, n, x, n, count, Triangle{true, true});
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t i = n - 1; i >= 0; --i) {
      std::swap(x[j * n + i], x[j * n + pivots[i] - 1]);
    }
  }
}

void lu_solve_cpu(const Tensor& b, const Tensor& factors, const Tensor& pivots, char op) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(b.scalar_type(), "lu_solve_cpu", [&] {
    const int n = to_int(b.size(-2)), count = to_int(b.size(-1));
    const auto* data = factors.const_data_ptr<scalar_t>();
    auto* out = b.mutable_data_ptr<scalar_t>();
    const auto* pivot = pivots.const_data_ptr<int32_t>();
    const Steps steps{factors.stride(-2), factors.stride(-1)};
    for_each_matrix(factors, [&](int64_t i) {
      scalar_t* x = out + i * area(b);
      // A^H x = b is the conjugate of A^T conj(x) = conj(b).
      const auto conjugate = [&] { conjugate_all(x, op == 'C' ? area(b) : 0); };
      conjugate();
      lu_solve<scalar_t>(data + i * area(factors), steps, n, pivot + i * n, x, count, op != 'N');
      conjugate();
    });
  });
}

template <class T>
void invert_columns(const T* factors, int64_t n, T* inverse) {
  if constexpr (std::is_floating_point_v<T>) {
    if (n > 0 && n <= kMaxTinyLu) {
      std::fill_n(inverse, n * n, T(0));
      for (int64_t i = 0; i < n; ++i) {
        inverse[i * (n + 1)] = 1;
      }
      return with_tiny_size(n, [&](auto size) { solve_tiny<size>(factors, 1, n, inverse, n); });
    }
  }
  invert_factors(factors, n, inverse);
}

void lu_invert_cpu(const Tensor& inverse, const Tensor& factors, const Tensor& pivots) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(factors.scalar_type(), "lu_solve_cpu", [&] {
    const int64_t n = factors.size(-1);
    const auto* data = factors.const_data_ptr<scalar_t>();
    const auto* pivot = pivots.const_data_ptr<int32_t>();
    auto* out = inverse.mutable_data_ptr<scalar_t>();
    for_each_matrix(factors, [&](int64_t i) {
      scalar_t* columns = out + i * n * n;
      invert_columns(data + i * n * n, n, columns);
      // A = P L U: the exchanges of rows of A are those of columns of its inverse, backwards.
      for (int64_t k = n - 1; k >= 0; --k) {
        const int64_t other = pivot[i * n + k] - 1;
        if (other != k) {
          std::swap_ranges(columns + k * n, columns + (k + 1) * n, columns + other * n);
        }
      }
    });
  });
}

void pivot_order_cpu(const Tensor& pivots, const Tensor& order) {
  const int64_t least = pivots.size(-1), rows = order.size(-1);
  const auto* pivot = pivots.const_data_ptr<int32_t>();
  auto* place = order.mutable_data_ptr<int64_t>();
  for (int64_t b = 0; b < order.size(0); ++b, pivot += least, place += rows) {
    for (int64_t i = 0; i < rows; ++i) {
      place[i] = i;
    }
    for (int64_t i = 0; i < least; ++i) {
      std::swap(place[i], place[pivot[i] - 1]);
    }
  }
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(lu_factor_stub, &lu_factor_cpu)
REGISTER_ALL_CPU_DISPATCH(lu_solve_stub, &lu_solve_cpu)
REGISTER_ALL_CPU_DISPATCH(lu_invert_stub, &lu_invert_cpu)
REGISTER_ALL_CPU_DISPATCH(pivot_order_stub, &pivot_order_cpu)

} // namespace at::native
