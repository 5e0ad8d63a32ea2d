// The factorizations of LinalgStubs.h, by cuSOLVER and cuBLAS. Batches of small matrices go to
// their batched routines, others matrix by matrix. They are a library of their own
// (LinalgLibrary.h).

#include <ATen/Dispatch.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/LinalgStubs.h>
#include <ATen/native/cuda/LinalgLibrary.h>
#include <ATen/native/cuda/MatrixAddresses.cuh>
#include <ATen/native/cuda/linalg/CUDASolver.h>
#include <c10/cuda/CUDAGuard.h>

#include <ATen/ops/conj.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <string_view>

namespace at::native {
namespace {

namespace solver = at::cuda::solver;

// From this size on, one matrix keeps the device busy.
constexpr int64_t kBatchedUntil = 512;

bool goes_batched(const Tensor& a) {
  return batch_count(a) > 1 && a.size(-1) == a.size(-2) && a.size(-1) < kBatchedUntil;
}

template <typename T, typename F>
void each_matrix(const Tensor& matrices, const F& f) {
  T* data = matrices.mutable_data_ptr<T>();
  for (int64_t i = 0; i < batch_count(matrices); ++i) {
    f(i, data + i * area(matrices));
  }
}

void cholesky_cuda(const Tensor& a, const Tensor& info, bool upper) {
  const c10::cuda::CUDAGuard guard(a.device());
  const int n = to_int(a.size(-1));
  const char side = upper ? 'U' : 'L';
  auto* status = info.mutable_data_ptr<int32_t>();
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "cholesky_cuda", [&] {
    if (goes_batched(a)) {
      const Pointers<scalar_t> matrices(a);
      solver::potrf_batched(side, n, matrices.data(), status, to_int(batch_count(a)));
    } else {
      each_matrix<scalar_t>(
          a, [&](int64_t i, scalar_t* data) { solver::potrf(side, n, data, status + i); });
    }
  });
}

void lu_factor_cuda(const Tensor& a, const Tensor& pivots, const Tensor& info) {
  const c10::cuda::CUDAGuard guard(a.device());
  const int m = to_int(a.size(-2)), n = to_int(a.size(-1)), least = std::min(m, n);
  auto* pivot = pivots.mutable_data_ptr<int32_t>();
  auto* status = info.mutable_data_ptr<int32_t>();
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "lu_factor_cuda", [&] {
    if (goes_batched(a)) {
      const Pointers<scalar_t> matrices(a);
      solver::getrf_batched(n, matrices.data(), pivot, status, to_int(batch_count(a)));
    } else {
      each_matrix<scalar_t>(a, [&](int64_t i, scalar_t* data) {
        solver::getrf(m, n, data, pivot + i * least, status + i);
      });
    }
  });
}

void lu_solve_cuda(const Tensor& b, const Tensor& factors, const Tensor& pivots, char op) {
  const c10::cuda::CUDAGuard guard(b.device());
  const int n = to_int(b.size(-2)), columns = to_int(b.size(-1));
  const auto* pivot = pivots.const_data_ptr<int32_t>();
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(b.scalar_type(), "lu_solve_cuda", [&] {
    if (goes_batched(factors)) {
      const Pointers<scalar_t> matrices(factors), sides(b);
      solver::getrs_batched(
          op, n, columns, matrices.data(), pivot, sides.data(), to_int(batch_count(b)));
      return;
    }
    const Tensor info = at::empty({1}, pivots.options());
    const auto* lu = factors.const_data_ptr<scalar_t>();
    each_matrix<scalar_t>(b, [&](int64_t i, scalar_t* data) {
      solver::getrs(
          op, n, columns, lu + i * area(factors), pivot + i * n, data,
          info.mutable_data_ptr<int32_t>());
    });
  });
}

void qr_factor_cuda(const Tensor& a, const Tensor& tau) {
  const c10::cuda::CUDAGuard guard(a.device());
  const int m = to_int(a.size(-2)), n = to_int(a.size(-1)), least = std::min(m, n);
  const Tensor info = at::empty({1}, a.options().dtype(kInt));
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "qr_cuda", [&] {
    auto* factor = tau.mutable_data_ptr<scalar_t>();
    each_matrix<scalar_t>(a, [&](int64_t i, scalar_t* data) {
      solver::geqrf(m, n, data, factor + i * least, info.mutable_data_ptr<int32_t>());
    });
  });
}

void qr_matrix_cuda(const Tensor& q, const Tensor& tau) {
  const c10::cuda::CUDAGuard guard(q.device());
  const int m = to_int(q.size(-2)), n = to_int(q.size(-1)), k = to_int(tau.size(-1));
  const Tensor info = at::empty({1}, q.options().dtype(kInt));
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(q.scalar_type(), "qr_cuda", [&] {
    const auto* factor = tau.const_data_ptr<scalar_t>();
    each_matrix<scalar_t>(q, [&](int64_t i, scalar_t* data) {
      solver::orgqr(m, n, k, data, factor + i * k, info.mutable_data_ptr<int32_t>());
    });
  });
}

void eigh_cuda(
    const Tensor& a, const Tensor& values, const Tensor& info, bool upper, bool vectors) {
  const c10::cuda::CUDAGuard guard(a.device());
  const int n = to_int(a.size(-1));
  auto* status = info.mutable_data_ptr<int32_t>();
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "linalg_eigh_cuda", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    auto* value = values.mutable_data_ptr<Real>();
    each_matrix<scalar_t>(a, [&](int64_t i, scalar_t* data) {
      solver::syevd(vectors ? 'V' : 'N', upper ? 'U' : 'L', n, data, value + i * n, status + i);
    });
  });
}

// gesvdj is the default, as in PyTorch. gesvd wants at least as many rows as columns, so a wide
// matrix is decomposed as its adjoint: A^H = V S U^H.
solver::SvdDriver svd_driver(const std::optional<std::string_view>& name) {
  if (!name || *name == "gesvdj") {
    return solver::SvdDriver::Jacobi;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(
      *name != "gesvda", "torch.linalg.svd: the driver gesvda is not available");
  TORCH_CHECK(
      *name == "gesvd", "torch.linalg.svd: unknown svd driver ", *name,
      " in svd_cusolver computation. Available drivers are gesvd, gesvdj and gesvda");
  return solver::SvdDriver::QR;
}

Tensor adjoint_columns(const Tensor& x) {
  return copy_columns(at::conj(at::transpose(x, -1, -2)));
}

void svd_cuda(
    const Tensor& a, const Tensor& u, const Tensor& values, const Tensor& vh, const Tensor& info,
    std::optional<std::string_view> driver) {
  const c10::cuda::CUDAGuard guard(a.device());
  const auto kind = svd_driver(driver);
  const bool qr = kind == solver::SvdDriver::QR;
  const bool turn = qr && a.size(-2) < a.size(-1), vectors = u.defined();
  const Tensor matrix = turn ? adjoint_columns(a) : a;
  const int m = to_int(matrix.size(-2)), n = to_int(matrix.size(-1)), k = std::min(m, n);
  const bool full = vectors && (u.size(-1) > k || vh.size(-2) > k);
  const auto dtype = a.scalar_type();
  const int64_t left_width = full ? m : k, right_width = full ? n : k;
  // gesvd writes V^H, and gesvdj V.
  Tensor left, right;
  if (vectors) {
    left = empty_columns(matrix, m, left_width, dtype);
    right = qr ? empty_columns(matrix, n, n, dtype) : empty_columns(matrix, n, right_width, dtype);
  }
  auto* status = info.mutable_data_ptr<int32_t>();
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(dtype, "linalg_svd_cuda", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    auto* value = values.mutable_data_ptr<Real>();
    auto* x = vectors ? left.mutable_data_ptr<scalar_t>() : nullptr;
    auto* y = vectors ? right.mutable_data_ptr<scalar_t>() : nullptr;
    const char job = !vectors ? 'N' : full ? 'A' : 'S';
    each_matrix<scalar_t>(matrix, [&](int64_t i, scalar_t* data) {
      solver::gesvd(
          kind, job, m, n, data, value + i * k, vectors ? x + i * area(left) : nullptr,
          vectors ? y + i * area(right) : nullptr, status + i);
    });
  });
  if (vectors) {
    const Tensor right_adjoint = qr ? right : at::conj(at::transpose(right, -1, -2));
    const auto adjoint = [](const Tensor& x) { return at::conj(at::transpose(x, -1, -2)); };
    at::methods::copy_(u, turn ? adjoint(right_adjoint) : left);
    at::methods::copy_(vh, turn ? adjoint(left) : right_adjoint);
  }
}

const int registered =
    (register_linalg_library({
         &cholesky_cuda,
         &lu_factor_cuda,
         &lu_solve_cuda,
         &qr_factor_cuda,
         &qr_matrix_cuda,
         &eigh_cuda,
         &svd_cuda,
         &solver::current_handle,
     }),
     0);

} // namespace
} // namespace at::native
