// The factorizations of LinalgStubs.h by LAPACK.

#include <ATen/native/LinalgStubs.h>

#include <ATen/Dispatch.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/Householder.h>
#include <ATen/native/Substitution.h>
#include <ATen/native/blas/BlasLibrary.h>
#include <ATen/native/blas/Lapack.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(cholesky_stub);
DEFINE_DISPATCH(lu_factor_stub);
DEFINE_DISPATCH(lu_solve_stub);
DEFINE_DISPATCH(pivot_order_stub);
DEFINE_DISPATCH(triangular_solve_stub);
DEFINE_DISPATCH(qr_factor_stub);
DEFINE_DISPATCH(qr_matrix_stub);
DEFINE_DISPATCH(eigh_stub);
DEFINE_DISPATCH(svd_stub);
DEFINE_DISPATCH(substitute_stub);
DEFINE_DISPATCH(householder_stub);

namespace {

int64_t area(const Tensor& matrices) {
  return matrices.size(-1) * matrices.size(-2);
}

void cholesky_cpu(const Tensor& a, const Tensor& info, bool upper) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "cholesky_cpu", [&] {
    const int n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* status = info.mutable_data_ptr<int32_t>();
    for_each_matrix(a, [&](int64_t i) {
      status[i] = blas::potrf(upper ? 'U' : 'L', n, data + i * area(a), n);
    });
  });
}

void lu_factor_cpu(const Tensor& a, const Tensor& pivots, const Tensor& info) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "lu_cpu", [&] {
    const int m = to_int(a.size(-2)), n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* order = pivots.mutable_data_ptr<int32_t>();
    auto* status = info.mutable_data_ptr<int32_t>();
    for_each_matrix(a, [&](int64_t i) {
      status[i] = blas::getrf(m, n, data + i * area(a), m, order + i * std::min(m, n));
    });
  });
}

// ---- triangular systems

struct Steps {
  int64_t row, col;
};

struct Triangle {
  bool upper, unit;
};

// Halves the matrix until substitution is fast enough; products do the rest. They pay earlier with
// many right-hand sides.
template <typename T>
void solve_triangle(
    const T* a, Steps steps, int64_t n, T* x, int64_t x_step, int64_t count, Triangle shape,
    T* workspace) {
  if (n <= (count < 64 ? kMaxSubstitution : kMaxSubstitution / 4)) {
    return substitute_stub.on_host(TriangularSystem{
        a, steps.row, steps.col, x, x_step, n, count, shape.upper, shape.unit,
        std::is_same_v<T, double>, workspace});
  }
  const int64_t half = (n / 2 + 7) / 8 * 8;
  const int64_t first = shape.upper ? half : 0, second = shape.upper ? 0 : half;
  const int64_t first_size = shape.upper ? n - half : half, second_size = n - first_size;
  const auto solve = [&](int64_t begin, int64_t size) {
    solve_triangle(
        a + begin * (steps.row + steps.col), steps, size, x + begin, x_step, count, shape,
        workspace);
  };
  solve(first, first_size);
  // The library's matrices are in rows: the transposes of these.
  const bool in_columns = steps.row == 1;
  blas::gemm(
      to_int(count), to_int(second_size), to_int(first_size), T(-1), {x + first, to_int(x_step)},
      {a + second * steps.row + first * steps.col, to_int(in_columns ? steps.col : steps.row),
       in_columns ? blas::Transpose::No : blas::Transpose::Yes},
      T(1), {x + second, to_int(x_step)});
  solve(second, second_size);
}

Tensor workspace_of(const Tensor& like, int64_t n) {
  const int64_t side = std::min(n, kMaxSubstitution);
  return at::empty({side * side}, like.options());
}

template <typename T>
void lu_solve_real(
    const T* factors, Steps steps, int64_t n, const int32_t* pivots, T* x, int64_t count,
    bool transposed, T* workspace) {
  // Column by column, each of which fits into the nearest cache.
  const auto exchange = [&](bool backwards) {
    for (int64_t j = 0; j < count; ++j) {
      T* column = x + j * n;
      for (int64_t step = 0; step < n; ++step) {
        const int64_t i = backwards ? n - 1 - step : step;
        std::swap(column[i], column[pivots[i] - 1]);
      }
    }
  };
  if (!transposed) {
    exchange(false);
    solve_triangle(factors, steps, n, x, n, count, Triangle{false, true}, workspace);
    solve_triangle(factors, steps, n, x, n, count, Triangle{true, false}, workspace);
    return;
  }
  const Steps turned{steps.col, steps.row};
  solve_triangle(factors, turned, n, x, n, count, Triangle{false, false}, workspace);
  solve_triangle(factors, turned, n, x, n, count, Triangle{true, true}, workspace);
  exchange(true);
}

void lu_solve_cpu(const Tensor& b, const Tensor& factors, const Tensor& pivots, char op) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(b.scalar_type(), "lu_solve_cpu", [&] {
    const int n = to_int(b.size(-2)), count = to_int(b.size(-1));
    const auto* data = factors.const_data_ptr<scalar_t>();
    auto* out = b.mutable_data_ptr<scalar_t>();
    auto* pivot = pivots.mutable_data_ptr<int32_t>();
    const Steps steps{factors.stride(-2), factors.stride(-1)};
    for_each_matrix(factors, [&](int64_t i) {
      const scalar_t* matrix = data + i * area(factors);
      scalar_t* x = out + i * area(b);
      if constexpr (std::is_floating_point_v<scalar_t>) {
        const Tensor workspace = workspace_of(b, n);
        lu_solve_real<scalar_t>(
            matrix, steps, n, pivot + i * n, x, count, op != 'N',
            workspace.mutable_data_ptr<scalar_t>());
      } else {
        blas::getrs(
            op, n, count, const_cast<scalar_t*>(matrix), n, pivot + i * n, x, n); // only reads it
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

// LAPACK leaves the right side alone if the matrix is singular.
template <typename T>
void divide_by_zero_too(const T* a, int n, int count, bool upper, T* x) {
  for (int column = 0; column < count; ++column, x += n) {
    for (int step = 0; step < n; ++step) {
      const int row = upper ? n - 1 - step : step;
      T sum = x[row];
      for (int k = upper ? row + 1 : 0; k < (upper ? n : row); ++k) {
        sum -= a[k * n + row] * x[k];
      }
      x[row] = sum / a[row * n + row];
    }
  }
}

void triangular_solve_cpu(const Tensor& b, const Tensor& a, bool upper, bool unit) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(b.scalar_type(), "triangular_solve_cpu", [&] {
    const int n = to_int(b.size(-2)), count = to_int(b.size(-1));
    auto* out = b.mutable_data_ptr<scalar_t>();
    const Steps steps{a.stride(-2), a.stride(-1)};
    for_each_matrix(a, [&](int64_t i) {
      scalar_t* x = out + i * area(b);
      if constexpr (std::is_floating_point_v<scalar_t>) {
        const Tensor workspace = workspace_of(b, n);
        solve_triangle<scalar_t>(
            a.const_data_ptr<scalar_t>() + i * area(a), steps, n, x, n, count,
            Triangle{upper, unit}, workspace.mutable_data_ptr<scalar_t>());
      } else {
        scalar_t* matrix = a.mutable_data_ptr<scalar_t>() + i * area(a);
        for (int k = 0; unit && k < n; ++k) {
          matrix[k * n + k] = scalar_t(1);
        }
        if (blas::trtrs(upper ? 'U' : 'L', 'N', unit ? 'U' : 'N', n, count, matrix, n, x, n) > 0) {
          divide_by_zero_too(matrix, n, count, upper, x);
        }
      }
    });
  });
}

void qr_factor_cpu(const Tensor& a, const Tensor& tau) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "qr_cpu", [&] {
    const int m = to_int(a.size(-2)), n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* factor = tau.mutable_data_ptr<scalar_t>();
    for_each_matrix(a, [&](int64_t i) {
      scalar_t* matrix = data + i * area(a);
      scalar_t* factors = factor + i * std::min(m, n);
      if (std::is_floating_point_v<scalar_t> && suits_householder(m, n)) {
        householder_stub.on_host(HouseholderCall{
            matrix, factors, m, n, 0, /*factors=*/true, std::is_same_v<scalar_t, double>});
      } else {
        blas::geqrf(m, n, matrix, m, factors);
      }
    });
  });
}

void qr_matrix_cpu(const Tensor& q, const Tensor& tau) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(q.scalar_type(), "qr_cpu", [&] {
    const int m = to_int(q.size(-2)), n = to_int(q.size(-1)), k = to_int(tau.size(-1));
    auto* data = q.mutable_data_ptr<scalar_t>();
    auto* factor = tau.mutable_data_ptr<scalar_t>();
    for_each_matrix(q, [&](int64_t i) {
      scalar_t* matrix = data + i * area(q);
      if (std::is_floating_point_v<scalar_t> && suits_householder(m, n)) {
        householder_stub.on_host(HouseholderCall{
            matrix, factor + i * k, m, n, k, /*factors=*/false, std::is_same_v<scalar_t, double>});
      } else {
        blas::orgqr(m, n, k, matrix, m, factor + i * k);
      }
    });
  });
}

void eigh_cpu(const Tensor& a, const Tensor& values, const Tensor& info, bool upper, bool vectors) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "linalg_eigh_cpu", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    const int n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* value = values.mutable_data_ptr<Real>();
    auto* status = info.mutable_data_ptr<int32_t>();
    for_each_matrix(a, [&](int64_t i) {
      status[i] = blas::syevd(
          vectors ? 'V' : 'N', upper ? 'U' : 'L', n, data + i * area(a), n, value + i * n);
    });
  });
}

void svd_cpu(
    const Tensor& a, const Tensor& u, const Tensor& values, const Tensor& vh, const Tensor& info,
    std::optional<std::string_view> /*driver*/) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "linalg_svd_cpu", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    const int m = to_int(a.size(-2)), n = to_int(a.size(-1)), k = std::min(m, n);
    const bool vectors = u.defined();
    const bool full = vectors && (u.size(-1) > k || vh.size(-2) > k);
    const int height = vectors ? to_int(vh.size(-2)) : 1;
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* value = values.mutable_data_ptr<Real>();
    auto* status = info.mutable_data_ptr<int32_t>();
    scalar_t* left = vectors ? u.mutable_data_ptr<scalar_t>() : nullptr;
    scalar_t* right = vectors ? vh.mutable_data_ptr<scalar_t>() : nullptr;
    for_each_matrix(a, [&](int64_t i) {
      status[i] = blas::gesdd(
          !vectors ? 'N' : (full ? 'A' : 'S'), m, n, data + i * area(a), m, value + i * k,
          vectors ? left + i * area(u) : nullptr, m, vectors ? right + i * area(vh) : nullptr,
          height);
    });
  });
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(cholesky_stub, &cholesky_cpu)
REGISTER_ALL_CPU_DISPATCH(lu_factor_stub, &lu_factor_cpu)
REGISTER_ALL_CPU_DISPATCH(lu_solve_stub, &lu_solve_cpu)
REGISTER_ALL_CPU_DISPATCH(pivot_order_stub, &pivot_order_cpu)
REGISTER_ALL_CPU_DISPATCH(triangular_solve_stub, &triangular_solve_cpu)
REGISTER_ALL_CPU_DISPATCH(qr_factor_stub, &qr_factor_cpu)
REGISTER_ALL_CPU_DISPATCH(qr_matrix_stub, &qr_matrix_cpu)
REGISTER_ALL_CPU_DISPATCH(eigh_stub, &eigh_cpu)
REGISTER_ALL_CPU_DISPATCH(svd_stub, &svd_cpu)

} // namespace at::native
