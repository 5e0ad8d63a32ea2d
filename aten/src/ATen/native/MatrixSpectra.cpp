// Eigenvalues of Hermitian matrices, and singular values.

#include <ATen/native/LinalgBatch.h>

#include <ATen/native/LinalgStubs.h>
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
#include <ATen/ops/to.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace at::native {
namespace {

// The first failure that LAPACK reported for any matrix, or 0.
int first_failure(const Tensor& info) {
  const Tensor all = at::methods::to(info, Device(kCPU)).contiguous();
  const auto* data = all.const_data_ptr<int32_t>();
  const auto* failed =
      std::find_if(data, data + all.numel(), [](int32_t status) { return status != 0; });
  return failed == data + all.numel() ? 0 : *failed;
}

bool wants_gradient(const Tensor& A) {
  return c10::GradMode::is_enabled() && A.requires_grad();
}

} // namespace

std::tuple<Tensor, Tensor> _linalg_eigh(const Tensor& A, c10::string_view UPLO, bool compute_v) {
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
    check_kernel_dtype(A, "linalg_eigh_cpu");
    const Tensor info = empty_rows(A, {}, kInt);
    eigh_stub(A.device().type(), vectors, values, info, side == 'U', compute_v);
    const int failure = first_failure(info);
    TORCH_CHECK_LINALG(
        failure == 0,
        "linalg.eigh: The algorithm failed to converge because the input matrix "
        "is ill-conditioned or has too many repeated eigenvalues (error code: ",
        failure, ").");
  }
  return {values, compute_v ? vectors : at::empty({0}, A.options())};
}

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, c10::string_view UPLO) {
  return at::_linalg_eigh(self, UPLO, true);
}

Tensor linalg_eigvalsh(const Tensor& self, c10::string_view UPLO) {
  return std::get<0>(at::_linalg_eigh(self, UPLO, wants_gradient(self)));
}

std::tuple<Tensor, Tensor, Tensor> _linalg_svd(
    const Tensor& A, bool full_matrices, bool compute_uv, std::optional<c10::string_view> driver) {
  check_matrix(A, "linalg.svd");
  check_linalg_dtype(A, "linalg.svd");
  TORCH_CHECK(
      !driver || A.is_cuda(),
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
  check_kernel_dtype(A, "linalg_svd_cpu");
  const Tensor info = empty_rows(A, {}, kInt), none;
  svd_stub(
      A.device().type(), work, compute_uv ? u : none, values, compute_uv ? vh : none, info, driver);
  const int failure = first_failure(info);
  TORCH_CHECK_LINALG(
      failure >= 0,
      "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite "
      "values.");
  TORCH_CHECK_LINALG(
      failure == 0,
      "linalg.svd: The algorithm failed to converge because the input matrix is "
      "ill-conditioned or has too many repeated singular values (error code: ",
      failure, ").");
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
