// Eigenvalues of general matrices, factors of symmetric indefinite ones, and products of
// reflectors: linalg_eig, linalg_ldl_factor_ex, linalg_ldl_solve, linalg_householder_product, geqrf
// and ormqr. Except for QR's parts, LAPACK computes them on the host for all devices.

#include <ATen/native/CompletedKernels.h>
#include <ATen/native/LinalgBatch.h>

#include <ATen/Dispatch.h>
#include <ATen/ExpandUtils.h>
#include <ATen/native/LinalgStubs.h>
#include <ATen/native/blas/Lapack.h>
#include <ATen/ops/_linalg_eigvals.h>
#include <ATen/ops/_linalg_eigvals_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/geqrf.h>
#include <ATen/ops/geqrf_native.h>
#include <ATen/ops/linalg_eig.h>
#include <ATen/ops/linalg_eig_native.h>
#include <ATen/ops/linalg_eigvals.h>
#include <ATen/ops/linalg_eigvals_native.h>
#include <ATen/ops/linalg_householder_product.h>
#include <ATen/ops/linalg_householder_product_native.h>
#include <ATen/ops/linalg_ldl_factor.h>
#include <ATen/ops/linalg_ldl_factor_ex.h>
#include <ATen/ops/linalg_ldl_factor_ex_native.h>
#include <ATen/ops/linalg_ldl_factor_native.h>
#include <ATen/ops/linalg_ldl_solve.h>
#include <ATen/ops/linalg_ldl_solve_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/orgqr_native.h>
#include <ATen/ops/ormqr.h>
#include <ATen/ops/ormqr_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace at::native {
namespace {

Tensor on_host(const Tensor& x) {
  return x.is_cpu() || x.is_meta() ? x : at::methods::to(x, Device(kCPU));
}

Tensor on_device_of(const Tensor& x, const Tensor& like) {
  return x.device() == like.device() ? x : at::methods::to(x, like.device());
}

int64_t area(const Tensor& matrices) {
  return matrices.size(-1) * matrices.size(-2);
}

template <typename T>
bool is_finite(T x) {
  return std::isfinite(x);
}
template <typename T>
bool is_finite(c10::complex<T> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

bool all_finite(const Tensor& a) {
  return AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "linalg_eig_cpu", [&] {
    const auto* data = a.const_data_ptr<scalar_t>();
    return std::all_of(data, data + a.numel(), [](scalar_t x) { return is_finite(x); });
  });
}

// ---- eigenvalues of general matrices

// Vectors are undefined if only values are wanted; `a` is overwritten.
void eig_on_host(const Tensor& a, const Tensor& values, const Tensor& vectors, const Tensor& info) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "linalg_eig_cpu", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    using Complex = c10::complex<Real>;
    const int n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* value = values.mutable_data_ptr<Complex>();
    auto* vector = vectors.defined() ? vectors.mutable_data_ptr<Complex>() : nullptr;
    auto* status = info.mutable_data_ptr<int32_t>();
    for_each_matrix(a, [&](int64_t i) {
      status[i] = blas::geev(
          n, data + i * area(a), n, value + i * n,
          vector != nullptr ? vector + i * area(a) : nullptr);
    });
  });
}

std::tuple<Tensor, Tensor> eig_of(const Tensor& self, bool with_vectors) {
  check_square(self, with_vectors ? "linalg.eig" : "linalg.eigvals");
  const int64_t n = self.size(-1);
  const ScalarType dtype = c10::toComplexType(self.scalar_type());
  if (self.numel() == 0 || self.is_meta()) {
    return {
        empty_rows(self, {n}, dtype), with_vectors ? empty_columns(self, n, n, dtype) : Tensor()};
  }
  check_kernel_dtype(self, "linalg_eig_out_cpu");
  const Tensor a = copy_columns(on_host(self));
  const Tensor values = empty_rows(a, {n}, dtype), info = empty_rows(a, {}, kInt);
  const Tensor vectors = with_vectors ? empty_columns(a, n, n, dtype) : Tensor();
  TORCH_CHECK(all_finite(a), "torch.linalg.eig: input tensor should not contain infs or NaNs.");
  eig_on_host(a, values, vectors, info);
  const auto* status = info.const_data_ptr<int32_t>();
  for (int64_t i = 0; i < info.numel(); ++i) {
    TORCH_CHECK_LINALG(
        status[i] == 0,
        "linalg.eig: The algorithm failed to converge because the input matrix is "
        "ill-conditioned or has too many repeated eigenvalues (error code: ",
        status[i], ").");
  }
  return {
      on_device_of(values, self),
      with_vectors ? on_device_of(vectors, self) : Tensor(),
  };
}

// ---- checks

void check_trailing(const Tensor& tau, const Tensor& input, const char* name) {
  TORCH_CHECK(
      input.dim() - tau.dim() == 1, name,
      ": Expected tau to have one dimension less than input, but got tau.ndim equal to ", tau.dim(),
      " and input.ndim is equal to ", input.dim());
  const IntArrayRef batch = input.sizes().slice(0, input.dim() - 2);
  TORCH_CHECK(
      tau.sizes().slice(0, tau.dim() - 1) == batch, name,
      ": Expected batch dimensions of tau to be equal to input.shape[:-2], but got ", tau.sizes());
}

void check_other(const Tensor& input, const Tensor& tau, const Tensor& other, bool left) {
  const char* side = left ? "other.shape[-2]" : "other.shape[-1]";
  const int64_t size = other.size(left ? -2 : -1);
  TORCH_CHECK(
      tau.size(-1) == std::min(size, input.size(-1)),
      "torch.ormqr: tau.shape[-1] must be equal to min(", side, ", input.shape[-1])");
  TORCH_CHECK(size == input.size(-2), "torch.ormqr: ", side, " must be equal to input.shape[-2]");
  check_trailing(tau, input, "torch.ormqr");
  const IntArrayRef batch = input.sizes().slice(0, input.dim() - 2);
  TORCH_CHECK(
      other.dim() == input.dim() && other.sizes().slice(0, other.dim() - 2) == batch,
      "torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got ",
      other.sizes());
  TORCH_CHECK(
      tau.scalar_type() == input.scalar_type(),
      "torch.ormqr: Expected input and tau to have the same dtype, but input has dtype ",
      input.scalar_type(), " and tau has dtype ", tau.scalar_type());
  TORCH_CHECK(
      other.scalar_type() == input.scalar_type(),
      "torch.ormqr: Expected input and other to have the same dtype, but input has dtype ",
      input.scalar_type(), " and other has dtype ", other.scalar_type());
}

} // namespace

std::tuple<Tensor, Tensor> linalg_eig(const Tensor& self) {
  return eig_of(self, true);
}

std::tuple<Tensor&, Tensor&> linalg_eig_out(
    const Tensor& self, Tensor& eigenvalues, Tensor& eigenvectors) {
  const auto [values, vectors] = at::linalg_eig(self);
  store_result(values, eigenvalues, "torch.linalg.eig", "eigenvalues");
  store_result(vectors, eigenvectors, "torch.linalg.eig", "eigenvectors");
  return {eigenvalues, eigenvectors};
}

Tensor _linalg_eigvals(const Tensor& self) {
  return std::get<0>(eig_of(self, false));
}

// Gradients need the vectors.
Tensor linalg_eigvals(const Tensor& self) {
  const bool differentiated = c10::GradMode::is_enabled() && self.requires_grad();
  return differentiated ? std::get<0>(at::linalg_eig(self)) : at::_linalg_eigvals(self);
}

Tensor& linalg_eigvals_out(const Tensor& self, Tensor& out) {
  store_result(at::_linalg_eigvals(self), out, "torch.linalg.eigvals", "eigenvalues");
  return out;
}

// ---- L D L^T of symmetric or Hermitian matrices
// --------------------------------------------------

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(
    const Tensor& self, bool hermitian, bool check_errors) {
  constexpr const char* kName = "torch.linalg.ldl_factor_ex";
  check_square(self, kName);
  check_linalg_dtype(self, kName);
  const Tensor factors = copy_columns(at::tril(on_host(self)));
  const Tensor pivots = empty_rows(factors, {self.size(-1)}, kInt);
  const Tensor info =
      at::zeros(self.sizes().slice(0, self.dim() - 2), factors.options().dtype(kInt));
  if (self.is_meta() || self.numel() == 0) {
    return {on_device_of(factors, self), on_device_of(pivots, self), on_device_of(info, self)};
  }
  check_kernel_dtype(self, "ldl_factor_kernel_cpu");
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(self.scalar_type(), "ldl_factor_cpu", [&] {
    const int n = to_int(self.size(-1));
    auto* data = factors.mutable_data_ptr<scalar_t>();
    auto* pivot = pivots.mutable_data_ptr<int32_t>();
    auto* status = info.mutable_data_ptr<int32_t>();
    for_each_matrix(factors, [&](int64_t i) {
      scalar_t* matrix = data + i * area(factors);
      status[i] = hermitian ? blas::hetrf('L', n, matrix, n, pivot + i * n)
                            : blas::sytrf('L', n, matrix, n, pivot + i * n);
    });
  });
  const auto* status = info.const_data_ptr<int32_t>();
  for (int64_t i = 0; check_errors && i < info.numel(); ++i) {
    TORCH_CHECK_LINALG(
        status[i] == 0, kName, ": The factor D is singular: its diagonal element ", status[i],
        " is zero.");
  }
  return {on_device_of(factors, self), on_device_of(pivots, self), on_device_of(info, self)};
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_ldl_factor_ex_out(
    const Tensor& self, bool hermitian, bool check_errors, Tensor& LD, Tensor& pivots,
    Tensor& info) {
  const auto [factors, order, status] = at::linalg_ldl_factor_ex(self, hermitian, check_errors);
  copy_to_out(LD, factors);
  copy_to_out(pivots, order);
  copy_to_out(info, status);
  return {LD, pivots, info};
}

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self, bool hermitian) {
  auto [factors, pivots, info] = at::linalg_ldl_factor_ex(self, hermitian, /*check_errors=*/true);
  return {factors, pivots};
}

std::tuple<Tensor&, Tensor&> linalg_ldl_factor_out(
    const Tensor& self, bool hermitian, Tensor& LD, Tensor& pivots) {
  const auto [factors, order] = at::linalg_ldl_factor(self, hermitian);
  copy_to_out(LD, factors);
  copy_to_out(pivots, order);
  return {LD, pivots};
}

Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
  constexpr const char* kName = "torch.linalg.ldl_solve";
  check_square(LD, kName);
  check_linalg_dtype(LD, kName);
  TORCH_CHECK(
      B.scalar_type() == LD.scalar_type(),
      "Expected b and A to have the same dtype, but found b of type ", B.scalar_type(),
      " and A of type ", LD.scalar_type(), " instead.");
  TORCH_CHECK(
      B.size(-2) == LD.size(-1), "Incompatible matrix sizes for ", kName, ": each A matrix is ",
      LD.size(-1), " by ", LD.size(-1), " but each b matrix is ", B.size(-2), " by ", B.size(-1));
  TORCH_CHECK(
      LD.sizes().slice(0, LD.dim() - 1) == pivots.sizes(), kName,
      ": Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape ",
      pivots.sizes(), " instead");
  TORCH_CHECK(
      c10::isIntegralType(pivots.scalar_type(), /*includeBool=*/false), kName,
      ": Expected pivots to be integers. Got ", pivots.scalar_type());
  const DimVector batch =
      at::infer_size_dimvector(LD.sizes().slice(0, LD.dim() - 2), B.sizes().slice(0, B.dim() - 2));
  const auto spread = [&](const Tensor& x, int64_t trailing) {
    DimVector sizes(batch);
    sizes.append(x.sizes().end() - trailing, x.sizes().end());
    return at::methods::expand(on_host(x), sizes);
  };
  const Tensor result = copy_columns(spread(B, 2));
  if (B.is_meta() || result.numel() == 0) {
    return on_device_of(result, B);
  }
  check_kernel_dtype(LD, "ldl_solve_cpu");
  const Tensor factors = copy_columns(spread(LD, 2));
  const Tensor order = at::methods::to(spread(pivots, 1), kInt).contiguous();
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(LD.scalar_type(), "ldl_solve_cpu", [&] {
    const int n = to_int(LD.size(-1)), count = to_int(B.size(-1));
    auto* data = factors.mutable_data_ptr<scalar_t>();
    auto* pivot = order.mutable_data_ptr<int32_t>();
    auto* out = result.mutable_data_ptr<scalar_t>();
    for_each_matrix(factors, [&](int64_t i) {
      const auto solve = [&](auto routine) {
        routine(
            'L', n, count, data + i * area(factors), n, pivot + i * n, out + i * area(result), n);
      };
      hermitian ? solve([](auto... x) { blas::hetrs(x...); })
                : solve([](auto... x) { blas::sytrs(x...); });
    });
  });
  return on_device_of(result, B);
}

Tensor& linalg_ldl_solve_out(
    const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian, Tensor& out) {
  copy_to_out(out, at::linalg_ldl_solve(LD, pivots, B, hermitian));
  return out;
}

// ---- reflectors
// ----------------------------------------------------------------------------------

Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  constexpr const char* kName = "torch.linalg.householder_product";
  TORCH_CHECK(input.dim() >= 2, kName, ": input must have at least 2 dimensions.");
  TORCH_CHECK(
      input.size(-2) >= input.size(-1), kName,
      ": input.shape[-2] must be greater than or equal to input.shape[-1]");
  TORCH_CHECK(
      tau.dim() == 0 || input.size(-1) >= tau.size(-1), kName,
      ": input.shape[-1] must be greater than or equal to tau.shape[-1]");
  check_trailing(tau, input, kName);
  TORCH_CHECK(
      tau.scalar_type() == input.scalar_type(), kName, ": tau dtype ", tau.scalar_type(),
      " does not match input dtype ", input.scalar_type());
  TORCH_CHECK(
      tau.device() == input.device(), kName, ": Expected input and tau to be on the same device");
  Tensor q = copy_columns(input);
  if (input.is_meta() || input.numel() == 0) {
    return q;
  }
  check_kernel_dtype(input, "orgqr_cpu");
  if (tau.numel() == 0) {
    const Tensor unit = at::eye(input.size(-2), input.size(-1), input.options());
    return at::methods::copy_(q, at::methods::expand(unit, q.sizes()));
  }
  qr_matrix_stub(input.device().type(), q, tau.contiguous());
  return q;
}

Tensor& linalg_householder_product_out(const Tensor& input, const Tensor& tau, Tensor& out) {
  store_result(
      at::linalg_householder_product(input, tau), out, "torch.linalg.householder_product",
      "result");
  return out;
}

Tensor orgqr(const Tensor& self, const Tensor& input2) {
  return at::linalg_householder_product(self, input2);
}

Tensor& orgqr_out(const Tensor& self, const Tensor& input2, Tensor& out) {
  return at::linalg_householder_product_out(out, self, input2);
}

std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
  TORCH_CHECK(self.dim() >= 2, "torch.geqrf: input must have at least 2 dimensions.");
  Tensor a = copy_columns(self);
  Tensor tau = empty_rows(self, {std::min(self.size(-2), self.size(-1))}, self.scalar_type());
  if (!self.is_meta() && self.numel() != 0) {
    check_kernel_dtype(self, "geqrf_cpu");
    qr_factor_stub(self.device().type(), a, tau);
  }
  return {a, tau};
}

std::tuple<Tensor&, Tensor&> geqrf_out(const Tensor& self, Tensor& a, Tensor& tau) {
  const auto [factors, scales] = at::geqrf(self);
  store_result(factors, a, "torch.geqrf", "a");
  store_result(scales, tau, "torch.geqrf", "tau");
  return {a, tau};
}

Tensor ormqr(
    const Tensor& self, const Tensor& input2, const Tensor& input3, bool left, bool transpose) {
  TORCH_CHECK(self.dim() >= 2, "torch.ormqr: input must have at least 2 dimensions.");
  TORCH_CHECK(input3.dim() >= 2, "torch.ormqr: other must have at least 2 dimensions.");
  check_other(self, input2, input3, left);
  const Tensor result = copy_columns(on_host(input3));
  if (self.is_meta() || result.numel() == 0) {
    return on_device_of(result, input3);
  }
  check_kernel_dtype(self, "ormqr_cpu");
  const Tensor a = copy_columns(on_host(self)), tau = on_host(input2).contiguous();
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(self.scalar_type(), "ormqr_cpu", [&] {
    const int m = to_int(result.size(-2)), n = to_int(result.size(-1));
    const int k = to_int(tau.size(-1)), rows = std::max(to_int(a.size(-2)), 1);
    const char op = !transpose ? 'N' : self.is_complex() ? 'C' : 'T';
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* scale = tau.mutable_data_ptr<scalar_t>();
    auto* out = result.mutable_data_ptr<scalar_t>();
    for_each_matrix(result, [&](int64_t i) {
      blas::ormqr(
          left ? 'L' : 'R', op, m, n, k, data + i * area(a), rows, scale + i * k,
          out + i * area(result), m);
    });
  });
  return on_device_of(result, input3);
}

Tensor& ormqr_out(
    const Tensor& self, const Tensor& input2, const Tensor& input3, bool left, bool transpose,
    Tensor& out) {
  TORCH_CHECK(
      out.scalar_type() == self.scalar_type(),
      "torch.ormqr: Expected input and result to have the same dtype, but input has dtype",
      self.scalar_type(), " and result has dtype ", out.scalar_type());
  store_result(at::ormqr(self, input2, input3, left, transpose), out, "torch.ormqr", "result");
  return out;
}

} // namespace at::native
