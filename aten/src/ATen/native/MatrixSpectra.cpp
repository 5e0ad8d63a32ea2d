// Eigenvalues of Hermitian matrices, and singular values.

#include <ATen/native/LinalgBatch.h>

#include <ATen/Dispatch.h>
#include <c10/core/GradMode.h>
#include <ATen/native/blas/Lapack.h>
#include <ATen/ops/_linalg_eigh.h>
#include <ATen/ops/_linalg_eigh_native.h>
#include <ATen/ops/_linalg_svd.h>
#include <ATen/ops/_linalg_svd_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_eigh_native.h>
#include <ATen/ops/linalg_eigvalsh_native.h>
#include <ATen/ops/linalg_svd_native.h>
#include <ATen/ops/linalg_svdvals_native.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>

namespace at::native {
namespace {

// LAPACK's info of the first matrix that failed, kept across threads.
class FirstFailure {
 public:
  void set(int info) {
    if (info != 0) {
      info_ = info;
    }
  }
  int get() const { return info_; }

 private:
  std::atomic<int> info_{0};
};

bool wants_gradient(const Tensor& A) {
  return c10::GradMode::is_enabled() && A.requires_grad();
}

} // namespace

std::tuple<Tensor, Tensor> _linalg_eigh_cpu(
    const Tensor& A, c10::string_view UPLO, bool compute_v) {
  check_square(A, "linalg.eigh");
  check_linalg_dtype(A, "linalg.eigh");
  const char side = UPLO.empty() ? ' ' : static_cast<char>(std::toupper(UPLO[0]));
  TORCH_CHECK(
      UPLO.size() == 1 && (side == 'U' || side == 'L'),
      "Expected UPLO argument to be 'L' or 'U', but got ", UPLO);
  const int64_t size = A.size(-1);
  Tensor vectors = copy_columns(A);
  Tensor values = empty_rows(A, {size}, c10::toRealValueType(A.scalar_type()));
  if (A.numel() != 0 && !A.is_meta()) {
    FirstFailure failure;
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(A.scalar_type(), "linalg_eigh_cpu", [&] {
      using Real = typename c10::scalar_value_type<scalar_t>::type;
      const int n = to_int(size);
      auto* data = vectors.mutable_data_ptr<scalar_t>();
      auto* value = values.mutable_data_ptr<Real>();
      for_each_matrix(vectors, [&](int64_t i) {
        failure.set(
            blas::syevd(compute_v ? 'V' : 'N', side, n, data + i * n * n, n, value + i * n));
      });
    });
    TORCH_CHECK_LINALG(
        failure.get() == 0,
        "linalg.eigh: The algorithm failed to converge because the input matrix "
        "is ill-conditioned or has too many repeated eigenvalues (error code: ",
        failure.get(), ").");
  }
  return {values, compute_v ? vectors : at::empty({0}, A.options())};
}

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, c10::string_view UPLO) {
  return at::_linalg_eigh(self, UPLO, true);
}

Tensor linalg_eigvalsh(const Tensor& self, c10::string_view UPLO) {
  return std::get<0>(at::_linalg_eigh(self, UPLO, wants_gradient(self)));
}

std::tuple<Tensor, Tensor, Tensor> _linalg_svd_cpu(
    const Tensor& A, bool full_matrices, bool compute_uv, std::optional<c10::string_view> driver) {
  check_matrix(A, "linalg.svd");
  check_linalg_dtype(A, "linalg.svd");
  TORCH_CHECK(
      !driver,
      "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
      "cuSOLVER backend.");
  const int64_t rows = A.size(-2), cols = A.size(-1), least = std::min(rows, cols);
  const ScalarType dtype = A.scalar_type();
  Tensor work = copy_columns(A);
  Tensor values = empty_rows(A, {least}, c10::toRealValueType(dtype));
  if (!compute_uv) {
    full_matrices = false;
  }
  Tensor u = compute_uv ? empty_columns(A, rows, full_matrices ? rows : least, dtype)
                        : at::empty({0}, A.options());
  Tensor vh = compute_uv ? empty_columns(A, full_matrices ? cols : least, cols, dtype)
                         : at::empty({0}, A.options());
  if (A.is_meta()) {
    return {u, values, vh};
  }
  if (A.numel() == 0) {
    if (compute_uv && full_matrices) {
      at::methods::copy_(u, at::methods::expand(at::eye(rows, A.options()), u.sizes()));
      at::methods::copy_(vh, at::methods::expand(at::eye(cols, A.options()), vh.sizes()));
    }
    return {u, values, vh};
  }
  FirstFailure failure;
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(dtype, "linalg_svd_cpu", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    const int m = to_int(rows), n = to_int(cols), k = to_int(least);
    auto* data = work.mutable_data_ptr<scalar_t>();
    auto* value = values.mutable_data_ptr<Real>();
    scalar_t* left = compute_uv ? u.mutable_data_ptr<scalar_t>() : nullptr;
    scalar_t* right = compute_uv ? vh.mutable_data_ptr<scalar_t>() : nullptr;
    const char job = !compute_uv ? 'N' : (full_matrices ? 'A' : 'S');
    const int height = compute_uv ? to_int(vh.size(-2)) : 1;
    const int64_t left_size = compute_uv ? u.size(-1) * rows : 0;
    for_each_matrix(work, [&](int64_t i) {
      failure.set(blas::gesdd(
          job, m, n, data + i * rows * cols, m, value + i * k, left + i * left_size, m,
          right + i * height * cols, height));
    });
  });
  TORCH_CHECK_LINALG(
      failure.get() == 0,
      "linalg.svd: The algorithm failed to converge because the input matrix is "
      "ill-conditioned or has too many repeated singular values (error code: ",
      failure.get(), ").");
  return {u, values, vh};
}

std::tuple<Tensor, Tensor, Tensor> linalg_svd(
    const Tensor& A, bool full_matrices, std::optional<c10::string_view> driver) {
  return at::_linalg_svd(A, full_matrices, true, driver);
}

Tensor linalg_svdvals(const Tensor& A, std::optional<c10::string_view> driver) {
  return std::get<1>(at::_linalg_svd(A, false, wants_gradient(A), driver));
}

} // namespace at::native
