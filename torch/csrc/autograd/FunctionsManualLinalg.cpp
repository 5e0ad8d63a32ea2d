#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/ops/_cholesky_solve_helper.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/linalg_lu_solve.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/linalg_solve_ex.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/lu_unpack.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/real.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/to.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

// The gradients of factorizations, from the differentials of their equations. Giles, "Collected
// matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), lists
// them for real matrices. A^H is the conjugate transpose.

#include <algorithm>

namespace torch::autograd::generated::details {

namespace {

Tensor adjoint(const Tensor& x) {
  return conj_of(at::transpose(x, -1, -2));
}

Tensor product(const Tensor& a, const Tensor& b) {
  return at::matmul(a, b);
}

Tensor diagonal_of(const Tensor& x) {
  return at::diagonal(x, 0, -2, -1);
}

// x with `factor` times its diagonal.
Tensor scale_diagonal(const Tensor& x, double factor) {
  return x + at::diag_embed(diagonal_of(x) * (factor - 1));
}

Tensor solve_lower_adjoint(const Tensor& lower, const Tensor& x) {
  return at::linalg_solve_triangular(adjoint(lower), x, /*upper=*/true);
}

} // namespace

Tensor cholesky_backward(const Tensor& grad, bool upper, const Tensor& factor) {
  if (!grad.defined()) {
    return {};
  }
  // A = L L^H: gA is the Hermitian part of L^-H phi(L^H gL) L^-1, where phi takes the lower
  // triangle and halves its diagonal.
  const Tensor lower = upper ? adjoint(factor) : factor;
  const Tensor grad_lower = upper ? adjoint(grad) : grad;
  const Tensor phi = scale_diagonal(at::tril(product(adjoint(lower), grad_lower)), 0.5);
  const Tensor left = solve_lower_adjoint(lower, phi);
  const Tensor whole = at::linalg_solve_triangular(lower, left, /*upper=*/false, /*left=*/false);
  return (whole + adjoint(whole)) * 0.5;
}

Tensor lu_factor_ex_backward(
    const Tensor& grad, const Tensor& factors, const Tensor& pivots, bool pivot) {
  if (!grad.defined()) {
    return {};
  }
  // For square matrices, A = P L U gives gA = P L^-H [tril(L^H gL, -1) + triu(gU U^H)] U^-H. Of a
  // wide matrix, A2 = P L U2 for the columns beyond the square: gA2 = P L^-H gU2, and L^H gL loses
  // gU2 U2^H. Of a tall one, A2 = L2 U for the rows beyond it: gA2 = gL2 U^-H, and gU U^H loses
  // L2^H gL2.
  const int64_t rows = factors.size(-2), cols = factors.size(-1), least = std::min(rows, cols);
  const auto [permutation, lower, upper] = at::lu_unpack(factors, pivots);
  const Tensor grad_lower = at::tril(at::narrow(grad, -1, 0, least), -1);
  const Tensor grad_upper = at::triu(at::narrow(grad, -2, 0, least));
  const Tensor square_lower = at::narrow(lower, -2, 0, least);
  const Tensor square_upper = at::narrow(upper, -1, 0, least);
  const auto solve_right = [&](const Tensor& x) {
    return at::linalg_solve_triangular(adjoint(square_upper), x, /*upper=*/false, /*left=*/false);
  };
  Tensor by_lower = product(adjoint(square_lower), at::narrow(grad_lower, -2, 0, least));
  Tensor by_upper = product(at::narrow(grad_upper, -1, 0, least), adjoint(square_upper));
  Tensor beyond;
  if (cols > least) {
    const Tensor grad_beyond = at::narrow(grad_upper, -1, least, cols - least);
    by_lower = by_lower - product(grad_beyond, adjoint(at::narrow(upper, -1, least, cols - least)));
    beyond = solve_lower_adjoint(square_lower, grad_beyond);
  } else if (rows > least) {
    const Tensor grad_beyond = at::narrow(grad_lower, -2, least, rows - least);
    by_upper = by_upper - product(adjoint(at::narrow(lower, -2, least, rows - least)), grad_beyond);
    beyond = solve_right(grad_beyond);
  }
  Tensor whole =
      solve_right(solve_lower_adjoint(square_lower, at::tril(by_lower, -1) + at::triu(by_upper)));
  if (beyond.defined()) {
    whole = at::cat({whole, beyond}, cols > least ? -1 : -2);
  }
  return product(permutation, whole);
}

Tensor lu_unpack_backward(
    const Tensor& grad_lower, const Tensor& grad_upper, int64_t rows, int64_t cols) {
  if (!grad_lower.defined() && !grad_upper.defined()) {
    return {};
  }
  const int64_t least = std::min(rows, cols);
  Tensor result;
  const auto add = [&](const Tensor& part, int64_t dim, int64_t missing) {
    Tensor whole = part;
    if (missing > 0) {
      at::DimVector sizes(part.sizes());
      sizes[sizes.size() + static_cast<size_t>(dim)] = missing;
      whole = at::cat({part, at::zeros(sizes, part.options())}, dim);
    }
    result = result.defined() ? result + whole : whole;
  };
  if (grad_lower.defined()) {
    add(at::tril(grad_lower, -1), -1, cols - least);
  }
  if (grad_upper.defined()) {
    add(at::triu(grad_upper), -2, rows - least);
  }
  return result;
}

std::tuple<Tensor, Tensor> linalg_solve_backward(
    const Tensor& grad, const Tensor& result, const Tensor& A, const Tensor& B, bool left) {
  if (!grad.defined()) {
    return {};
  }
  // A X = B: gB = A^-H gX and gA = -gB X^H; for X A = B the factors change places.
  const bool vector = B.dim() == 1 || (A.dim() - 1 == B.dim() && result.dim() == A.dim() - 1);
  const Tensor upstream = vector ? at::unsqueeze(grad, -1) : grad;
  const Tensor solution = vector ? at::unsqueeze(result, -1) : result;
  const Tensor to_b = at::linalg_solve(adjoint(A), upstream, left);
  const Tensor to_a = -(left ? product(to_b, adjoint(solution)) : product(adjoint(solution), to_b));
  return {to_a, vector ? at::squeeze(to_b, -1) : to_b};
}

std::tuple<Tensor, Tensor> linalg_solve_triangular_backward(
    const Tensor& grad, const Tensor& A, const Tensor& result, bool upper, bool left,
    bool unitriangular) {
  if (!grad.defined()) {
    return {};
  }
  const Tensor to_b = at::linalg_solve_triangular(adjoint(A), grad, !upper, left, unitriangular);
  const Tensor whole = -(left ? product(to_b, adjoint(result)) : product(adjoint(result), to_b));
  const int64_t edge = unitriangular ? 1 : 0;
  return {upper ? at::triu(whole, edge) : at::tril(whole, -edge), to_b};
}

// From the gradient of the matrix F F^H, or F^H F of an upper factor, to that of F.
static Tensor to_cholesky_factor(const Tensor& to_matrix, const Tensor& factor, bool upper) {
  const Tensor both = to_matrix + adjoint(to_matrix);
  return upper ? product(factor, both) : product(both, factor);
}

std::tuple<Tensor, Tensor> cholesky_solve_backward(
    const Tensor& grad, const Tensor& factor, const Tensor& result, bool upper) {
  if (!grad.defined()) {
    return {};
  }
  const Tensor to_b = at::_cholesky_solve_helper(grad, factor, upper);
  return {to_b, to_cholesky_factor(-product(to_b, adjoint(result)), factor, upper)};
}

Tensor cholesky_inverse_backward(
    const Tensor& grad, const Tensor& factor, const Tensor& result, bool upper) {
  return to_cholesky_factor(-product(result, product(grad, result)), factor, upper);
}

std::tuple<Tensor, Tensor> linalg_lu_solve_backward(
    const Tensor& grad, const Tensor& result, const Tensor& factors, const Tensor& pivots,
    bool left, bool adjoint_given) {
  if (!grad.defined()) {
    return {};
  }
  const Tensor to_b = at::linalg_lu_solve(factors, pivots, grad, left, !adjoint_given);
  // op(A) = P L U: gA = -gB X^H (or its adjoint), carried to the factors by L and U.
  const auto [permutation, lower, upper] = at::lu_unpack(factors, pivots);
  Tensor to_a = -(left ? product(to_b, adjoint(result)) : product(adjoint(result), to_b));
  if (adjoint_given) {
    to_a = adjoint(to_a);
  }
  const Tensor turned = product(adjoint(permutation), to_a);
  const Tensor to_lower = at::tril(product(turned, adjoint(upper)), -1);
  const Tensor to_upper = at::triu(product(adjoint(lower), turned));
  return {to_lower + to_upper, to_b};
}

Tensor linalg_inv_backward(const Tensor& grad, const Tensor& inverse) {
  return grad.defined() ? -product(adjoint(inverse), product(grad, adjoint(inverse))) : grad;
}

Tensor slogdet_backward(
    const Tensor& grad_sign, const Tensor& grad_log, const Tensor& A, const Tensor& sign) {
  if (!grad_log.defined() && !(grad_sign.defined() && A.is_complex())) {
    return {};
  }
  // d log|det| = Re tr(A^-1 dA), and d sign = i sign Im tr(A^-1 dA).
  Tensor factor = grad_log;
  if (A.is_complex() && grad_sign.defined()) {
    const Tensor turn = at::imag(conj_of(grad_sign) * sign) * Scalar(c10::complex<double>(0, -1));
    factor = factor.defined() ? factor + turn : turn;
  }
  const Tensor unit = at::diag_embed(
      at::methods::expand(at::unsqueeze(factor, -1), A.sizes().slice(0, A.dim() - 1)));
  return std::get<0>(at::linalg_solve_ex(adjoint(A), at::methods::to(unit, A.scalar_type())));
}

Tensor linalg_det_backward(const Tensor& grad, const Tensor& det, const Tensor& A) {
  if (!grad.defined()) {
    return {};
  }
  const Tensor found = slogdet_backward({}, grad * conj_of(det), A, {});
  // As in PyTorch, the gradient of a determinant of zero is zero.
  return at::masked_fill(found, at::unsqueeze(at::unsqueeze(det == 0, -1), -1), 0);
}

Tensor linalg_qr_backward(
    const Tensor& grad_q, const Tensor& grad_r, const Tensor& q, const Tensor& r,
    c10::string_view mode) {
  if (!grad_q.defined() && !grad_r.defined()) {
    return {};
  }
  TORCH_CHECK(
      mode != "r",
      "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
      "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.");
  const int64_t rows = q.size(-2), cols = r.size(-1), least = std::min(rows, cols);
  TORCH_CHECK(
      mode == "reduced" || rows <= cols,
      "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  // A wide matrix is [X | Y], of which only X decides Q.
  const bool wide = cols > rows;
  Tensor to_q = grad_q.defined() ? grad_q : at::zeros_like(q);
  Tensor to_r = grad_r.defined() ? grad_r : at::zeros_like(r);
  const Tensor square = wide ? at::narrow(r, -1, 0, least) : r;
  Tensor to_rest;
  if (wide) {
    const Tensor rest = at::narrow(r, -1, least, cols - least);
    const Tensor upstream = at::narrow(to_r, -1, least, cols - least);
    to_rest = product(q, upstream);
    to_q = to_q + product(product(q, rest), adjoint(upstream));
    to_r = at::narrow(to_r, -1, 0, least);
  }
  // gX = [gQ + Q M] R^-H, where M is the Hermitian matrix with the upper triangle of
  // gR R^H - Q^H gQ; its diagonal is real.
  const Tensor half =
      scale_diagonal(at::triu(product(to_r, adjoint(square)) - product(adjoint(q), to_q)), 0.5);
  const Tensor inner = to_q + product(q, half + adjoint(half));
  const Tensor result =
      at::linalg_solve_triangular(adjoint(square), inner, /*upper=*/false, /*left=*/false);
  return wide ? at::cat({result, to_rest}, -1) : result;
}

// Complex vectors may be multiplied by any number of size one. A loss has a gradient only if it
// does not change then, so if `change`, its derivative by the angles, is zero.
static void check_phase_is_free(const Tensor& change, const char* message) {
  const bool has_values = !change.is_meta() && !change.key_set().has(c10::DispatchKey::Python);
  TORCH_CHECK(!has_values || at::allclose(change, at::zeros_like(change), 1e-2, 1e-2), message);
}

// Differences l_j - l_i, with ones on the diagonal.
static Tensor gaps(const Tensor& values) {
  const Tensor result = at::unsqueeze(values, -2) - at::unsqueeze(values, -1);
  return result + at::eye(values.size(-1), values.options());
}

Tensor linalg_eigh_backward(
    const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
    const Tensor& vectors) {
  if (!grad_values.defined() && !grad_vectors.defined()) {
    return {};
  }
  TORCH_CHECK(
      vectors.dim() == values.dim() + 1,
      "linalg_eigvalsh: the eigenvectors are needed for the gradient");
  Tensor inner;
  if (grad_vectors.defined()) { // Hermitian, as the matrix is
    const Tensor turn = product(adjoint(vectors), grad_vectors);
    if (vectors.is_complex()) {
      check_phase_is_free(
          at::imag(diagonal_of(turn)),
          "linalg_eigh_backward: The eigenvectors in the complex case are specified up to "
          "multiplication by e^{i phi}. The specified loss function depends on this quantity, so "
          "it is ill-defined.");
    }
    inner = scale_diagonal(turn - adjoint(turn), 0) / gaps(values) * 0.5;
  }
  if (grad_values.defined()) {
    const Tensor diagonal = at::diag_embed(grad_values);
    inner = inner.defined() ? inner + diagonal : at::methods::to(diagonal, vectors.scalar_type());
  }
  return product(vectors, product(inner, adjoint(vectors)));
}

// The differential of A V = V L is V^-1 dA V = dL + C L - L C for dV = V C; vectors of length one
// determine the real part of the diagonal of C.
Tensor linalg_eig_backward(
    const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
    const Tensor& vectors) {
  if (!grad_values.defined() && !grad_vectors.defined()) {
    return {};
  }
  const Tensor left = adjoint(vectors);
  Tensor inner;
  if (grad_vectors.defined()) {
    const Tensor turn = product(left, grad_vectors);
    check_phase_is_free(
        at::imag(diagonal_of(turn)),
        "linalg_eig_backward: The eigenvectors in the complex case are specified up to "
        "multiplication by e^{i phi}. The specified loss function depends on this quantity, so "
        "it is ill-defined.");
    const Tensor lengths = at::unsqueeze(at::real(diagonal_of(turn)), -2);
    inner = scale_diagonal(turn - product(left, vectors) * lengths, 0) / conj_of(gaps(values));
  }
  if (grad_values.defined()) {
    const Tensor diagonal = at::diag_embed(grad_values);
    inner = inner.defined() ? inner + diagonal : diagonal;
  }
  return at::linalg_solve(left, product(inner, left));
}

Tensor svd_backward(
    const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh, const Tensor& u,
    const Tensor& s, const Tensor& vh) {
  if (!grad_u.defined() && !grad_s.defined() && !grad_vh.defined()) {
    return {};
  }
  const int64_t rows = u.size(-2), cols = vh.size(-1), count = s.size(-1);
  // Only the first vectors have singular values.
  const Tensor left = at::narrow(u, -1, 0, count), right_adjoint = at::narrow(vh, -2, 0, count);
  const Tensor right = adjoint(right_adjoint);
  Tensor inner =
      grad_s.defined() ? at::methods::to(at::diag_embed(grad_s), u.scalar_type()) : Tensor();
  const auto include = [&](const Tensor& part) { inner = inner.defined() ? inner + part : part; };
  const Tensor row = at::unsqueeze(s, -2), column = at::unsqueeze(s, -1);
  const Tensor distance = gaps(s * s);
  const Tensor to_u = grad_u.defined() ? at::narrow(grad_u, -1, 0, count) : Tensor();
  const Tensor to_v = grad_vh.defined() ? adjoint(at::narrow(grad_vh, -2, 0, count)) : Tensor();
  Tensor phase; // the derivative by the angles of both vectors of a value
  if (to_u.defined()) {
    const Tensor turn = product(adjoint(left), to_u);
    include((turn - adjoint(turn)) / distance * row);
    if (u.is_complex()) {
      phase = at::imag(diagonal_of(turn));
      include(at::diag_embed(phase / s * Scalar(c10::complex<double>(0, 1))));
    }
  }
  if (to_v.defined()) {
    const Tensor turn = product(right_adjoint, to_v);
    include(column * ((turn - adjoint(turn)) / distance));
    if (u.is_complex()) {
      const Tensor turned = at::imag(diagonal_of(turn));
      phase = phase.defined() ? phase + turned : turned;
    }
  }
  if (phase.defined()) {
    check_phase_is_free(
        phase,
        "svd_backward: The singular vectors in the complex case are specified up to "
        "multiplication by e^{i phi}. The specified loss function depends on this phase term, "
        "making it ill-defined.");
  }
  Tensor result = product(left, product(inner, right_adjoint));
  if (to_u.defined() && rows > count) {
    const Tensor outside = to_u - product(left, product(adjoint(left), to_u));
    result = result + product(outside / row, right_adjoint);
  }
  if (to_v.defined() && cols > count) {
    const Tensor outside = to_v - product(right, product(right_adjoint, to_v));
    result = result + product(left, adjoint(outside / row));
  }
  return result;
}

} // namespace torch::autograd::generated::details
