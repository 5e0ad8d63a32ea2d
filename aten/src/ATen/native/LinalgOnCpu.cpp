// The factorizations of LinalgStubs.h on the host, except the spectra.

#include <ATen/native/LinalgStubs.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/Householder.h>
#include <ATen/native/QrBlocks.h>
#include <ATen/native/TriangularBlocks.h>
#include <ATen/native/blas/BlasLibrary.h>
#include <ATen/native/blas/Lapack.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(cholesky_stub);
DEFINE_DISPATCH(cholesky_invert_stub);
DEFINE_DISPATCH(triangular_solve_stub);
DEFINE_DISPATCH(qr_factor_stub);
DEFINE_DISPATCH(qr_matrix_stub);
DEFINE_DISPATCH(lstsq_stub);
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
      scalar_t* matrix = data + i * area(a);
      status[i] = blas::potrf(upper ? 'U' : 'L', n, matrix, n);
      for (int64_t j = 0; j < n; ++j) {
        scalar_t* column = matrix + j * n;
        std::fill(column + (upper ? j + 1 : 0), column + (upper ? n : j), scalar_t(0));
      }
    });
  });
}

void cholesky_invert_cpu(const Tensor& inverse, const Tensor& factors, bool upper) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(factors.scalar_type(), "cholesky_invert_cpu", [&] {
    const auto* data = factors.const_data_ptr<scalar_t>();
    auto* out = inverse.mutable_data_ptr<scalar_t>();
    const int64_t row = factors.stride(-2), col = factors.stride(-1);
    for_each_matrix(factors, [&](int64_t i) {
      // The transpose of an upper factor is the conjugate of a lower one.
      invert_square<scalar_t>(
          data + i * area(factors), upper ? Steps{col, row} : Steps{row, col}, factors.size(-1),
          upper, out + i * area(inverse));
    });
  });
}

void triangular_solve_cpu(const Tensor& b, const Tensor& a, bool upper, bool unit) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(b.scalar_type(), "triangular_solve_cpu", [&] {
    const int n = to_int(b.size(-2)), count = to_int(b.size(-1));
    auto* out = b.mutable_data_ptr<scalar_t>();
    const Steps steps{a.stride(-2), a.stride(-1)};
    for_each_matrix(a, [&](int64_t i) {
      solve_triangle<scalar_t>(
          a.const_data_ptr<scalar_t>() + i * area(a), steps, n, out + i * area(b), n, count,
          Triangle{upper, unit});
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
// largest. After two further steps a factor of 4 is enough.
template <typename T>
bool is_well_conditioned(const T* r, int64_t m, int64_t n, double limit) {
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
  const auto solve = [&](Steps steps, bool upper) {
    solve_triangle<T>(r, steps, n, x.data(), n, kVectors, Triangle{upper, false});
    for (T& value : x) {
      value *= norm; // in every step, against overflow
    }
  };
  const auto is_below = [&](double bound) {
    const T start = norm_of(x.data(), n * kVectors);
    if (!std::isfinite(start)) {
      return false;
    }
    for (T& value : x) {
      value /= start;
    }
    for (int step = 0; step < 2; ++step) {
      solve(Steps{m, 1}, false);
      solve(Steps{1, m}, true);
    }
    return std::sqrt(std::sqrt(static_cast<double>(norm_of(x.data(), n * kVectors)))) < bound;
  };
  return is_below(limit / 32) || is_below(limit / 4);
}

bool lstsq_cpu(const Tensor& a, const Tensor& b, double limit) {
  return AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "linalg_lstsq_cpu", [&] {
    const int64_t m = a.size(-2), n = a.size(-1), count = b.size(-1);
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* x = b.mutable_data_ptr<scalar_t>();
    std::vector<scalar_t> tau(n);
    for (int64_t i = 0, matrices = batch_count(a); i < matrices;
         ++i, data += area(a), x += area(b)) {
      factor_qr(data, m, n, tau.data());
      if (!is_well_conditioned<scalar_t>(data, m, n, limit)) {
        return false;
      }
      if (count > 0) {
        apply_q(data, m, m, n, tau.data(), x, m, count, /*transposed=*/true);
        solve_triangle<scalar_t>(data, Steps{1, m}, n, x, m, count, Triangle{true, false});
      }
    }
    return true;
  });
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(cholesky_stub, &cholesky_cpu)
REGISTER_ALL_CPU_DISPATCH(cholesky_invert_stub, &cholesky_invert_cpu)
REGISTER_ALL_CPU_DISPATCH(triangular_solve_stub, &triangular_solve_cpu)
REGISTER_ALL_CPU_DISPATCH(qr_factor_stub, &qr_factor_cpu)
REGISTER_ALL_CPU_DISPATCH(qr_matrix_stub, &qr_matrix_cpu)
REGISTER_ALL_CPU_DISPATCH(lstsq_stub, &lstsq_cpu)

} // namespace at::native
