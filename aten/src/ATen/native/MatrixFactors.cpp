// linalg_cholesky_ex, linalg_lu_factor_ex, lu_unpack and linalg_qr.

#include <ATen/native/CompletedKernels.h>
#include <ATen/native/LinalgBatch.h>

#include <ATen/native/LinalgErrors.h>
#include <ATen/native/LinalgStubs.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_cholesky_ex_native.h>
#include <ATen/ops/linalg_cholesky_native.h>
#include <ATen/ops/linalg_lu_factor_ex.h>
#include <ATen/ops/linalg_lu_factor_ex_native.h>
#include <ATen/ops/linalg_lu_factor_native.h>
#include <ATen/ops/linalg_lu_native.h>
#include <ATen/ops/linalg_qr_native.h>
#include <ATen/ops/lu_unpack.h>
#include <ATen/ops/lu_unpack_native.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zero.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

void check_two_dimensions(const Tensor& self, const char* name) {
  TORCH_CHECK(
      self.dim() >= 2, name,
      ": Expected tensor with 2 or more dimensions. Got size: ", self.sizes(), " instead");
}

} // namespace

// ---- Cholesky --------------------------------------------------------------------------------

std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& self, bool upper, bool check_errors) {
  check_square(self, "linalg.cholesky");
  check_linalg_dtype(self, "linalg.cholesky");
  // On the CPU the kernel clears the other triangle of a matrix, while it is in the cache.
  Tensor factor = copy_columns(self.is_cpu() ? self : upper ? at::triu(self) : at::tril(self));
  Tensor info = at::zeros(self.sizes().slice(0, self.dim() - 2), self.options().dtype(kInt));
  if (self.numel() != 0 && !self.is_meta()) {
    check_kernel_dtype(self, "cholesky_cpu");
    cholesky_stub(self.device().type(), factor, info, upper);
  }
  if (check_errors) {
    check_positive_definite(info, "linalg.cholesky");
  }
  return {factor, info};
}

std::tuple<Tensor&, Tensor&> linalg_cholesky_ex_out(
    const Tensor& self, bool upper, bool check_errors, Tensor& L, Tensor& info) {
  const auto [factor, infos] = at::linalg_cholesky_ex(self, upper, check_errors);
  copy_to_out(L, factor);
  copy_to_out(info, infos);
  return {L, info};
}

Tensor linalg_cholesky(const Tensor& self, bool upper) {
  return std::get<0>(at::linalg_cholesky_ex(self, upper, /*check_errors=*/true));
}

Tensor& linalg_cholesky_out(const Tensor& self, bool upper, Tensor& out) {
  copy_to_out(out, at::linalg_cholesky(self, upper));
  return out;
}

// ---- LU --------------------------------------------------------------------------------------

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(
    const Tensor& A, bool pivot, bool check_errors) {
  check_two_dimensions(A, "torch.lu_factor");
  const int64_t rows = A.size(-2), cols = A.size(-1), least = std::min(rows, cols);
  Tensor factors = copy_columns(A);
  Tensor pivots = empty_rows(A, {least}, kInt);
  Tensor info = at::zeros(A.sizes().slice(0, A.dim() - 2), A.options().dtype(kInt));
  if (A.numel() != 0 && !A.is_meta()) {
    check_kernel_dtype(A, "lu_cpu");
    TORCH_CHECK(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    lu_factor_stub(A.device().type(), factors, pivots, info);
  }
  if (check_errors) {
    check_usable_factors(info, "torch.linalg.lu_factor_ex");
  }
  return {factors, pivots, info};
}

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot) {
  // The kernel below a tensor subclass checks, where there is memory to read.
  const bool wrapped = A.unsafeGetTensorImpl()->is_python_dispatch();
  auto [factors, pivots, info] = at::linalg_lu_factor_ex(A, pivot, /*check_errors=*/wrapped);
  check_usable_factors(info, "torch.linalg.lu_factor");
  return {factors, pivots};
}

static void check_pivots(const Tensor& pivots, int64_t rows) {
  if (pivots.numel() == 0) return;
  const Tensor least = at::min(pivots), greatest = at::max(pivots);
  TORCH_CHECK(
      at::methods::item(least).toLong() >= 1 && at::methods::item(greatest).toLong() <= rows,
      "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
      "Did you properly pass the result of lu_factor?");
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(
    const Tensor& LU_data, const Tensor& LU_pivots, bool unpack_data, bool unpack_pivots) {
  check_two_dimensions(LU_data, "torch.lu_unpack");
  TORCH_CHECK(
      !unpack_pivots || LU_pivots.scalar_type() == kInt,
      "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
      "Note: this function is intended to be used with the output produced by "
      "torch.linalg.lu_factor");
  const int64_t rows = LU_data.size(-2), cols = LU_data.size(-1), least = std::min(rows, cols);
  Tensor lower, upper, permutation;
  if (unpack_data) {
    // One copy into rows takes less time than reading the columns of large matrices twice.
    constexpr int64_t kLarge = 4096;
    const Tensor data =
        LU_data.is_cpu() && LU_data.numel() >= kLarge ? LU_data.contiguous() : LU_data;
    lower = at::tril(at::narrow(data, -1, 0, least), -1);
    at::methods::fill_(at::diagonal(lower, 0, -2, -1), 1);
    upper = at::triu(at::narrow(data, -2, 0, least));
  } else {
    lower = at::empty({0}, LU_data.options());
    upper = at::empty({0}, LU_data.options());
  }
  if (!unpack_pivots) {
    return {at::empty({0}, LU_data.options()), lower, upper};
  }
  DimVector sizes(LU_data.sizes());
  sizes.back() = rows;
  permutation = at::zeros(sizes, LU_data.options());
  if (permutation.numel() != 0 && !LU_data.is_meta()) {
    // Row i of A is row order[i] of L U, after the exchanges that the pivots name.
    check_pivots(LU_pivots, rows);
    const int64_t count = batch_count(LU_data);
    const Tensor order = at::empty({count, rows}, LU_pivots.options().dtype(kLong));
    pivot_order_stub(
        LU_data.device().type(), at::reshape(LU_pivots, {count, least}).contiguous(), order);
    const Tensor ones = at::methods::scatter_(
        at::reshape(permutation, {count, rows, rows}), 1, at::unsqueeze(order, 1), 1);
    permutation = at::reshape(ones, sizes);
  }
  return {permutation, lower, upper};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot) {
  check_two_dimensions(A, "linalg.lu");
  const auto [factors, pivots, info] = at::linalg_lu_factor_ex(A, pivot);
  return at::lu_unpack(factors, pivots);
}

// ---- QR --------------------------------------------------------------------------------------

std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, c10::string_view mode) {
  check_matrix(A, "linalg.qr");
  check_linalg_dtype(A, "linalg.qr");
  TORCH_CHECK(
      mode == "reduced" || mode == "complete" || mode == "r", "qr received unrecognized mode '",
      mode, "' but expected one of 'reduced' (default), 'r', or 'complete'");
  const int64_t rows = A.size(-2), cols = A.size(-1), least = std::min(rows, cols);
  const int64_t width = mode == "complete" ? rows : least;
  Tensor work = copy_columns(A);
  const bool wants_q = mode != "r";
  Tensor q = wants_q ? empty_columns(A, rows, width, A.scalar_type()) : at::empty({0}, A.options());
  Tensor tau = empty_rows(A, {least}, A.scalar_type());
  const bool computes = !A.is_meta() && A.numel() != 0;
  if (computes) {
    check_kernel_dtype(A, "geqrf_cpu");
    qr_factor_stub(A.device().type(), work, tau);
    if (wants_q) {
      const int64_t shared = std::min(cols, width);
      at::methods::copy_(at::narrow(q, -1, 0, shared), at::narrow(work, -1, 0, shared));
      at::methods::zero_(at::narrow(q, -1, shared, width - shared));
      qr_matrix_stub(A.device().type(), q, tau);
    }
  } else if (wants_q && !A.is_meta()) {
    const Tensor unit = at::narrow(at::eye(rows, A.options()), -1, 0, width);
    at::methods::copy_(q, at::methods::expand(unit, q.sizes()));
  }
  return {q, copy_columns(at::triu(at::narrow(work, -2, 0, std::min(width, rows))))};
}

} // namespace at::native
