// The factorizations of LinalgStubs.h by LAPACK.

#include <ATen/native/LinalgStubs.h>

#include <ATen/Dispatch.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/blas/Lapack.h>

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

void lu_solve_cpu(const Tensor& b, const Tensor& factors, const Tensor& pivots, char op) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(b.scalar_type(), "lu_solve_cpu", [&] {
    const int n = to_int(b.size(-2)), count = to_int(b.size(-1));
    auto* data = factors.mutable_data_ptr<scalar_t>();
    auto* out = b.mutable_data_ptr<scalar_t>();
    auto* pivot = pivots.mutable_data_ptr<int32_t>();
    for_each_matrix(factors, [&](int64_t i) {
      blas::getrs(op, n, count, data + i * area(factors), n, pivot + i * n, out + i * area(b), n);
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

template <typename T>
void substitute(const T* a, int n, int count, bool upper, T* x) {
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
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* out = b.mutable_data_ptr<scalar_t>();
    for_each_matrix(a, [&](int64_t i) {
      scalar_t* matrix = data + i * area(a);
      scalar_t* x = out + i * area(b);
      for (int k = 0; unit && k < n; ++k) {
        matrix[k * n + k] = scalar_t(1);
      }
      // LAPACK leaves the right side alone if the matrix is singular.
      if (blas::trtrs(upper ? 'U' : 'L', 'N', unit ? 'U' : 'N', n, count, matrix, n, x, n) > 0) {
        substitute(matrix, n, count, upper, x);
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
      blas::geqrf(m, n, data + i * area(a), m, factor + i * std::min(m, n));
    });
  });
}

void qr_matrix_cpu(const Tensor& q, const Tensor& tau) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(q.scalar_type(), "qr_cpu", [&] {
    const int m = to_int(q.size(-2)), n = to_int(q.size(-1)), k = to_int(tau.size(-1));
    auto* data = q.mutable_data_ptr<scalar_t>();
    auto* factor = tau.mutable_data_ptr<scalar_t>();
    for_each_matrix(
        q, [&](int64_t i) { blas::orgqr(m, n, k, data + i * area(q), m, factor + i * k); });
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
