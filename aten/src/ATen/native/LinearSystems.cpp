// linalg_lu_solve and linalg_solve_triangular, and the operators that use factors: solve, inv, det
// and slogdet.

#include <ATen/native/LinalgBatch.h>

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <ATen/native/LinalgErrors.h>
#include <ATen/native/LinalgStubs.h>
#include <ATen/ops/_cholesky_inverse_helper_native.h>
#include <ATen/ops/_cholesky_solve_helper.h>
#include <ATen/ops/_cholesky_solve_helper_native.h>
#include <ATen/ops/_linalg_det.h>
#include <ATen/ops/_linalg_det_native.h>
#include <ATen/ops/_linalg_slogdet.h>
#include <ATen/ops/_linalg_slogdet_native.h>
#include <ATen/ops/_linalg_solve_ex.h>
#include <ATen/ops/_linalg_solve_ex_native.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/conj_physical_native.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_det_native.h>
#include <ATen/ops/linalg_inv_ex.h>
#include <ATen/ops/linalg_inv_ex_native.h>
#include <ATen/ops/linalg_inv_native.h>
#include <ATen/ops/linalg_lu_factor_ex.h>
#include <ATen/ops/linalg_lu_solve.h>
#include <ATen/ops/linalg_lu_solve_native.h>
#include <ATen/ops/linalg_slogdet_native.h>
#include <ATen/ops/linalg_solve_ex_native.h>
#include <ATen/ops/linalg_solve_native.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/linalg_solve_triangular_native.h>
#include <ATen/ops/log.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

// Checks the operands of A X = B, or of X A = B.
void check_system(const Tensor& A, const Tensor& B, bool left, const char* name) {
  check_square(A, name);
  check_matrix(B, name, "B");
  TORCH_CHECK(
      A.size(-1) == B.size(left ? -2 : -1), name,
      ": Incompatible shapes of A and B for the equation ", left ? "AX = B" : "XA = B", " (",
      A.size(-2), "x", A.size(-1), " and ", B.size(-2), "x", B.size(-1), ")");
}

// LAPACK exchanges rows by these numbers without a check of its own.
void check_pivots_on_cpu(const Tensor& pivots, int64_t rows) {
  const int32_t* data = pivots.const_data_ptr<int32_t>();
  for (int64_t i = 0; i < pivots.numel(); ++i) {
    TORCH_CHECK(
        data[i] >= 1,
        "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the "
        "result of lu_factor?");
    TORCH_CHECK(
        data[i] <= rows,
        "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly "
        "pass the result of lu_factor?");
  }
}

// Both operands with the same batch dimensions.
std::pair<Tensor, Tensor> same_batch(const Tensor& a, const Tensor& b) {
  const DimVector batch =
      at::infer_size_dimvector(a.sizes().slice(0, a.dim() - 2), b.sizes().slice(0, b.dim() - 2));
  const auto widen = [&](const Tensor& x) {
    DimVector sizes(batch);
    sizes.append({x.size(-2), x.size(-1)});
    return at::methods::expand(x, sizes);
  };
  return {widen(a), widen(b)};
}

// The matrices as the solvers read them: on the CPU they may have their rows in place of their
// columns contiguous, and a single one may be part of another.
Tensor solver_operand(const Tensor& x) {
  if (x.is_cpu() && !x.is_conj()) {
    const int64_t rows = x.stride(-2), cols = x.stride(-1), n = x.size(-1);
    if ((x.dim() == 2 && ((rows == 1 && cols >= n) || (cols == 1 && rows >= n))) ||
        x.is_contiguous() || at::transpose(x, -1, -2).is_contiguous()) {
      return x;
    }
  }
  return copy_columns(at::resolve_conj(x));
}

Tensor adjoint_of(const Tensor& x) {
  const Tensor turned = at::transpose(x, -1, -2);
  return x.is_complex() ? at::resolve_conj(at::conj(turned)) : turned;
}

} // namespace

Tensor linalg_lu_solve(
    const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
  check_linalg_dtype(LU, "torch.linalg.lu_solve");
  TORCH_CHECK(
      LU.scalar_type() == B.scalar_type(),
      "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type ",
      LU.scalar_type(), " and B of type ", B.scalar_type(), " instead");
  TORCH_CHECK(
      pivots.scalar_type() == kInt,
      "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  check_square(LU, "torch.linalg.lu_solve");
  check_system(LU, B, left, "linalg.lu_solve");
  TORCH_CHECK(
      pivots.dim() >= 1 && pivots.size(-1) == LU.size(-1),
      "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
  if (!left) {
    // X A = B is the adjoint of A^H X^H = B^H.
    return adjoint_of(native::linalg_lu_solve(LU, pivots, adjoint_of(B), true, !adjoint));
  }
  const auto [factors, right] = same_batch(LU, B);
  Tensor result = copy_columns(right);
  if (result.numel() == 0 || LU.is_meta()) {
    return result;
  }
  const Tensor columns = solver_operand(factors);
  DimVector order_sizes(factors.sizes().begin(), factors.sizes().end() - 1);
  Tensor order = at::methods::expand(pivots, order_sizes).contiguous();
  if (order.is_cpu()) {
    check_pivots_on_cpu(order, LU.size(-2));
  }
  check_kernel_dtype(LU, "lu_solve_cpu");
  const char op = !adjoint ? 'N' : (LU.is_complex() ? 'C' : 'T');
  lu_solve_stub(LU.device().type(), result, columns, order, op);
  return result;
}

Tensor linalg_solve_triangular(
    const Tensor& self, const Tensor& B, bool upper, bool left, bool unitriangular) {
  check_system(self, B, left, "linalg.solve_triangular");
  check_kernel_dtype(self, "triangular_solve_cpu");
  TORCH_CHECK(
      self.scalar_type() == B.scalar_type(),
      "linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type ",
      self.scalar_type(), " and B of type ", B.scalar_type(), " instead");
  if (!left) {
    const Tensor turned = native::linalg_solve_triangular(
        at::transpose(self, -1, -2), at::transpose(B, -1, -2), !upper, true, unitriangular);
    return copy_columns(at::transpose(turned, -1, -2));
  }
  // On the CPU, conj(A) X = B is solved as the conjugate of A conj(X) = conj(B), in place.
  const bool conjugates = self.is_cpu() && self.is_conj();
  const auto [matrix, right] = same_batch(conjugates ? at::conj(self) : self, B);
  Tensor result = copy_columns(right);
  if (result.numel() == 0 || self.is_meta()) {
    return result;
  }
  if (conjugates) {
    native::conj_physical_(result);
  }
  const Tensor columns = solver_operand(matrix);
  triangular_solve_stub(self.device().type(), result, columns, upper, unitriangular);
  if (conjugates) {
    native::conj_physical_(result);
  }
  return result;
}

namespace {

// Solves A^H A X = B, or A A^H X = B unless A is upper, in place. A^H X = B is the conjugate of
// A^T conj(X) = conj(B).
void solve_square_on_cpu(Tensor x, const Tensor& factor, bool upper) {
  const Tensor turned = at::transpose(factor, -1, -2);
  const auto solve = [&](bool is_turned) {
    if (is_turned) {
      native::conj_physical_(x);
    }
    triangular_solve_stub(
        factor.device().type(), x, is_turned ? turned : factor, upper != is_turned,
        /*unit=*/false);
    if (is_turned) {
      native::conj_physical_(x);
    }
  };
  solve(upper);
  solve(!upper);
}

} // namespace

Tensor _cholesky_solve_helper(const Tensor& self, const Tensor& A, bool upper) {
  if (A.is_cpu() && self.scalar_type() == A.scalar_type()) {
    check_system(A, self, /*left=*/true, "linalg.solve_triangular");
    check_kernel_dtype(A, "triangular_solve_cpu");
    const auto [factor, right] = same_batch(A, self);
    const Tensor result = copy_columns(right);
    if (result.numel() != 0) {
      solve_square_on_cpu(result, solver_operand(factor), upper);
    }
    return result;
  }
  const Tensor lower = upper ? adjoint_of(A) : A;
  const Tensor half = at::linalg_solve_triangular(lower, self, /*upper=*/false);
  return at::linalg_solve_triangular(adjoint_of(lower), half, /*upper=*/true);
}

Tensor _cholesky_inverse_helper(const Tensor& self, bool upper) {
  if (self.is_cpu() && self.numel() != 0) {
    check_kernel_dtype(self, "cholesky_inverse_cpu");
    const Tensor inverse = empty_columns(self, self.size(-1), self.size(-1), self.scalar_type());
    cholesky_invert_stub(self.device().type(), inverse, solver_operand(self), upper);
    return inverse;
  }
  const Tensor unit = at::methods::expand(at::eye(self.size(-1), self.options()), self.sizes());
  return at::_cholesky_solve_helper(unit, self, upper);
}

namespace {

// Whether B holds one vector for each matrix.
bool is_vector(const Tensor& A, const Tensor& B) {
  return B.dim() == 1 || (A.dim() - 1 == B.dim() && A.sizes().slice(0, A.dim() - 1) == B.sizes());
}

} // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_solve_ex(
    const Tensor& A, const Tensor& B, bool left, bool check_errors) {
  check_linalg_dtype(A, "linalg.solve");
  TORCH_CHECK(
      A.scalar_type() == B.scalar_type(),
      "linalg.solve: Expected A and B to have the same dtype, but found A of type ",
      A.scalar_type(), " and B of type ", B.scalar_type(), " instead");
  const bool vector = is_vector(A, B);
  TORCH_CHECK(
      !vector || left,
      "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False");
  const Tensor right = vector ? at::unsqueeze(B, -1) : B;
  check_system(A, right, left, "linalg.solve");
  auto [factors, pivots, info] = at::linalg_lu_factor_ex(A);
  if (check_errors) {
    check_solvable(info, "torch.linalg.solve");
  }
  Tensor result = at::linalg_lu_solve(factors, pivots, right, left);
  if (vector) {
    result = at::squeeze(result, -1);
    result = result.dim() > 1 ? copy_columns(result) : result;
  }
  return {result, factors, pivots, info};
}

std::tuple<Tensor, Tensor> linalg_solve_ex(
    const Tensor& A, const Tensor& B, bool left, bool check_errors) {
  auto [result, factors, pivots, info] = at::_linalg_solve_ex(A, B, left, check_errors);
  return {result, info};
}

Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left) {
  return std::get<0>(at::_linalg_solve_ex(A, B, left, /*check_errors=*/true));
}

std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool check_errors) {
  check_square(A, "linalg.inv");
  check_full_precision(A, "linalg.inv");
  auto [factors, pivots, info] = at::linalg_lu_factor_ex(A);
  if (check_errors) {
    check_invertible(info, "linalg.inv");
  }
  if (A.is_cpu() && A.numel() != 0) {
    const Tensor inverse = empty_columns(A, A.size(-1), A.size(-1), A.scalar_type());
    lu_invert_stub(A.device().type(), inverse, factors, pivots);
    return {inverse, info};
  }
  const Tensor unit = at::methods::expand(at::eye(A.size(-1), A.options()), A.sizes());
  return {at::linalg_lu_solve(factors, pivots, unit), info};
}

Tensor linalg_inv(const Tensor& A) {
  return std::get<0>(at::linalg_inv_ex(A, /*check_errors=*/true));
}

// ---- determinants ----------------------------------------------------------------------------

namespace {

// 1 or -1: the sign of the permutation that the pivots describe.
Tensor pivot_sign(const Tensor& pivots, ScalarType dtype) {
  const Tensor identity = at::arange(1, pivots.size(-1) + 1, pivots.options());
  const Tensor exchanges = at::sum(at::ne(pivots, identity), -1);
  return at::methods::to(1 - 2 * at::remainder(exchanges, 2), dtype);
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> _linalg_det(const Tensor& A) {
  check_square(A, "linalg.det");
  check_linalg_dtype(A, "linalg.det");
  auto [factors, pivots, info] = at::linalg_lu_factor_ex(A);
  const Tensor diagonal = at::diagonal(factors, 0, -2, -1);
  const Tensor det = at::prod(diagonal, -1) * pivot_sign(pivots, A.scalar_type());
  return {at::methods::to(det, A.scalar_type()), factors, pivots}; // autocast widens the product
}

Tensor linalg_det(const Tensor& A) {
  return std::get<0>(at::_linalg_det(A));
}

std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_slogdet(const Tensor& A) {
  check_square(A, "linalg.slogdet");
  check_full_precision(A, "linalg.slogdet");
  auto [factors, pivots, info] = at::linalg_lu_factor_ex(A);
  const Tensor diagonal = at::diagonal(factors, 0, -2, -1);
  const Tensor sign = at::prod(at::sgn(diagonal), -1) * pivot_sign(pivots, A.scalar_type());
  return {sign, at::sum(at::log(at::abs(diagonal)), -1), factors, pivots};
}

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
  auto [sign, logabsdet, factors, pivots] = at::_linalg_slogdet(A);
  return {sign, logabsdet};
}

namespace {

// Conjugate views are resolved above.
c10::KernelRow rows[] = {
    {&at::_ops::linalg_solve_triangular::entry, DispatchKey::Conjugate, &c10::fallthrough_kernel}};
const c10::KernelTable table(rows);

} // namespace

} // namespace at::native
