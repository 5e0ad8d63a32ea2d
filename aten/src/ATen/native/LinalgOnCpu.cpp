// The factorizations of LinalgStubs.h on the host, except the spectra.

#include <ATen/native/LinalgStubs.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/Householder.h>
#include <ATen/native/QrBlocks.h>
#include <ATen/native/SmallLu.h>
#include <ATen/native/Substitution.h>
#include <ATen/native/blas/BlasLibrary.h>
#include <ATen/native/blas/Lapack.h>

#include <algorithm>
#include <cmath>
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
DEFINE_DISPATCH(lstsq_stub);
DEFINE_DISPATCH(substitute_stub);
DEFINE_DISPATCH(householder_stub);
DEFINE_DISPATCH(small_lu_stub);

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
      scalar_t* matrix = data + i * area(a);
      status[i] = blas::potrf(upper ? 'U' : 'L', n, matrix, n);
      for (int64_t j = 0; j < n; ++j) {
        scalar_t* column = matrix + j * n;
        std::fill(column + (upper ? j + 1 : 0), column + (upper ? n : j), scalar_t(0));
      }
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

// getrf: our own kernel for small matrices, and LAPACK for others. It factors panels of columns of
// large matrices; products do the rest, in threads.
template <typename T>
int lu_factor(T* a, int m, int n, int32_t* pivots) {
  constexpr int kWidth = 64;
  const int least = std::min(m, n);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::max(m, n) <= kMaxSmallLu) {
      return small_lu_stub.on_host(SmallLuCall{a, pivots, m, n, std::is_same_v<T, double>});
    }
  }
  if (!std::is_floating_point_v<T> || least < 3 * kWidth) {
    return blas::getrf(m, n, a, m, pivots);
  }
  const auto exchange = [&](T* column, int begin, int end) {
    for (int i = begin; i < end; ++i) {
      std::swap(column[i], column[pivots[i] - 1]);
    }
  };
  int info = 0;
  for (int k = 0; k < least; k += kWidth) {
    const int width = std::min(kWidth, least - k), next = k + width;
    T* corner = a + int64_t{k} * m + k;
    const int failure = blas::getrf(m - k, width, corner, m, pivots + k);
    info = info == 0 && failure > 0 ? failure + k : info;
    for (int i = k; i < next; ++i) {
      pivots[i] += k;
    }
    at::parallel_for(next, n, 32, [&](int64_t begin, int64_t end) {
      T* columns = a + begin * m;
      for (int64_t j = begin; j < end; ++j) {
        exchange(a + j * m, k, next);
      }
      if constexpr (std::is_floating_point_v<T>) {
        solve_triangle<T>(
            corner, Steps{1, m}, width, columns + k, m, end - begin, Triangle{false, true},
            nullptr);
      }
      if (next < m) {
        blas::gemm(
            to_int(end - begin), m - next, width, T(-1), {columns + k, m}, {corner + width, m},
            T(1), {columns + next, m});
      }
    });
  }
  for (int j = 0; j < least; ++j) {
    exchange(a + int64_t{j} * m, std::min(j / kWidth * kWidth + kWidth, least), least);
  }
  return info;
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

template <typename T>
void qr_factor(T* a, int m, int n, T* tau) {
  if constexpr (std::is_floating_point_v<T>) {
    factor_qr(a, m, n, tau);
  } else {
    blas::geqrf(m, n, a, m, tau);
  }
}

template <typename T>
void qr_matrix(T* q, int m, int n, int k, T* tau) {
  if constexpr (std::is_floating_point_v<T>) {
    form_q(q, m, n, k, tau);
  } else {
    blas::orgqr(m, n, k, q, m, tau);
  }
}

void qr_factor_cpu(const Tensor& a, const Tensor& tau) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "qr_cpu", [&] {
    const int m = to_int(a.size(-2)), n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* factor = tau.mutable_data_ptr<scalar_t>();
    for_each_matrix(a, [&](int64_t i) {
      qr_factor<scalar_t>(data + i * area(a), m, n, factor + i * std::min(m, n));
    });
  });
}

void qr_matrix_cpu(const Tensor& q, const Tensor& tau) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(q.scalar_type(), "qr_cpu", [&] {
    const int m = to_int(q.size(-2)), n = to_int(q.size(-1)), k = to_int(tau.size(-1));
    auto* data = q.mutable_data_ptr<scalar_t>();
    auto* factor = tau.mutable_data_ptr<scalar_t>();
    for_each_matrix(
        q, [&](int64_t i) { qr_matrix<scalar_t>(data + i * area(q), m, n, k, factor + i * k); });
  });
}

// Whether the condition of the upper triangle of R, which has columns of m numbers, is surely below
// the limit. Two steps of inverse iteration from four vectors estimate the smallest singular value,
// to much better than the factor of 32 that is left as a margin; the Frobenius norm bounds the
// largest.
template <typename T>
bool is_well_conditioned(const T* r, int64_t m, int64_t n, double limit, T* workspace) {
  constexpr int64_t kVectors = 4;
  std::vector<T> x(n * kVectors);
  const auto norm_of = [](const T* from, int64_t count) {
    T squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      squares += from[i] * from[i];
    }
    return std::sqrt(squares);
  };
  for (size_t i = 0; i < x.size(); ++i) {
    const double turns = static_cast<double>(i + 1) * 0.6180339887498949; // evenly spread parts
    x[i] = static_cast<T>(2 * (turns - std::floor(turns)) - 1);
  }
  T norm = 0;
  for (int64_t j = 0; j < n; ++j) {
    norm = std::hypot(norm, norm_of(r + j * m, j + 1));
  }
  const T start = norm_of(x.data(), n * kVectors);
  const auto solve = [&](Steps steps, bool upper) {
    solve_triangle<T>(r, steps, n, x.data(), n, kVectors, Triangle{upper, false}, workspace);
    for (T& value : x) {
      value *= norm; // in every step, against overflow
    }
  };
  for (int step = 0; step < 2; ++step) {
    solve(Steps{m, 1}, false);
    solve(Steps{1, m}, true);
  }
  const double growth = static_cast<double>(norm_of(x.data(), n * kVectors) / start);
  return std::sqrt(std::sqrt(growth)) < limit / 32;
}

bool lstsq_cpu(const Tensor& a, const Tensor& b, double limit) {
  return AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "linalg_lstsq_cpu", [&] {
    const int64_t m = a.size(-2), n = a.size(-1), count = b.size(-1);
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* x = b.mutable_data_ptr<scalar_t>();
    std::vector<scalar_t> tau(n);
    const Tensor workspace = workspace_of(b, n);
    auto* buffer = workspace.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0, matrices = batch_count(a); i < matrices;
         ++i, data += area(a), x += area(b)) {
      factor_qr(data, m, n, tau.data());
      if (!is_well_conditioned<scalar_t>(data, m, n, limit, buffer)) {
        return false;
      }
      if (count > 0) {
        apply_q(data, m, m, n, tau.data(), x, m, count, /*transposed=*/true);
        solve_triangle<scalar_t>(data, Steps{1, m}, n, x, m, count, Triangle{true, false}, buffer);
      }
    }
    return true;
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
REGISTER_ALL_CPU_DISPATCH(lstsq_stub, &lstsq_cpu)

} // namespace at::native
