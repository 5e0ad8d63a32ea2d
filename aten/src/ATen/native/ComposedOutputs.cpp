// The out= forms of operators that compute their results in other operators: they call those or the
// functional form, and copy.

#include <ATen/core/Tensor.h>

#include <ATen/native/CompletedKernels.h>
#include <ATen/native/LinalgErrors.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/bucketize.h>
#include <ATen/ops/bucketize_native.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/complex_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/deg2rad.h>
#include <ATen/ops/deg2rad_native.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/diag_native.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/float_power_native.h>
#include <ATen/ops/histc.h>
#include <ATen/ops/histc_native.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/kthvalue.h>
#include <ATen/ops/kthvalue_native.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linalg_cross_native.h>
#include <ATen/ops/linalg_det.h>
#include <ATen/ops/linalg_det_native.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/linalg_eigh_native.h>
#include <ATen/ops/linalg_eigvalsh.h>
#include <ATen/ops/linalg_eigvalsh_native.h>
#include <ATen/ops/linalg_inv_ex.h>
#include <ATen/ops/linalg_inv_ex_native.h>
#include <ATen/ops/linalg_inv_native.h>
#include <ATen/ops/linalg_lu.h>
#include <ATen/ops/linalg_lu_factor_ex.h>
#include <ATen/ops/linalg_lu_factor_ex_native.h>
#include <ATen/ops/linalg_lu_factor_native.h>
#include <ATen/ops/linalg_lu_native.h>
#include <ATen/ops/linalg_lu_solve.h>
#include <ATen/ops/linalg_lu_solve_native.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/linalg_qr_native.h>
#include <ATen/ops/linalg_slogdet.h>
#include <ATen/ops/linalg_slogdet_native.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/linalg_solve_ex.h>
#include <ATen/ops/linalg_solve_ex_native.h>
#include <ATen/ops/linalg_solve_native.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/linalg_solve_triangular_native.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/linalg_svd_native.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/linalg_svdvals_native.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logit.h>
#include <ATen/ops/logit_native.h>
#include <ATen/ops/logspace.h>
#include <ATen/ops/logspace_native.h>
#include <ATen/ops/lu_unpack.h>
#include <ATen/ops/lu_unpack_native.h>
#include <ATen/ops/median.h>
#include <ATen/ops/median_native.h>
#include <ATen/ops/mode.h>
#include <ATen/ops/mode_native.h>
#include <ATen/ops/nanmean_native.h>
#include <ATen/ops/nanmedian.h>
#include <ATen/ops/nanmedian_native.h>
#include <ATen/ops/nanquantile.h>
#include <ATen/ops/nanquantile_native.h>
#include <ATen/ops/nansum.h>
#include <ATen/ops/nansum_native.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/polar_native.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/quantile.h>
#include <ATen/ops/quantile_native.h>
#include <ATen/ops/rad2deg.h>
#include <ATen/ops/rad2deg_native.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/searchsorted_native.h>
#include <ATen/ops/signbit.h>
#include <ATen/ops/signbit_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/to.h>
#include <ATen/ops/view_as.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <tuple>
#include <utility>

namespace at::native {

namespace {

// A tensor that is resized gets the strides of the result, such as those of columns.
Tensor& copied(Tensor& out, const Tensor& result) {
  const bool fits = out.scalar_type() == result.scalar_type() && out.device() == result.device();
  if (fits && resize_output(out, result.sizes()) && result.is_non_overlapping_and_dense()) {
    at::methods::as_strided_(out, result.sizes(), result.strides());
  }
  copy_to_out(out, result);
  return out;
}

template <typename Results, typename... Out>
std::tuple<Out&...> copied_all(const Results& results, Out&... out) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    (copied(out, std::get<i>(results)), ...);
  }
  (std::index_sequence_for<Out...>{});
  return {out...};
}

// For operators whose results may be converted.
Tensor& cast_into(Tensor& out, const Tensor& result) {
  TORCH_CHECK(
      c10::canCast(result.scalar_type(), out.scalar_type()), "result type ", result.scalar_type(),
      " can't be cast to the desired output type ", out.scalar_type());
  TORCH_CHECK(
      out.device() == result.device(), "Expected out tensor to have device ", result.device(),
      ", but got ", out.device(), " instead");
  resize_output(out, result.sizes());
  return at::methods::copy_(out, result);
}

} // namespace

// ---- point-wise --------------------------------------------------------------------------------

Tensor& deg2rad_out(const Tensor& self, Tensor& out) {
  return cast_into(out, at::deg2rad(self));
}

Tensor& rad2deg_out(const Tensor& self, Tensor& out) {
  return cast_into(out, at::rad2deg(self));
}

Tensor& logit_out(const Tensor& self, std::optional<double> eps, Tensor& out) {
  return cast_into(out, at::logit(self, eps));
}

Tensor& signbit_out(const Tensor& self, Tensor& out) {
  const Tensor result = at::signbit(self);
  TORCH_CHECK(out.scalar_type() == kBool, "signbit does not support non-boolean outputs.");
  return copied(out, result);
}

namespace {

// A complex number needs a complex exponent, and either a complex result.
ScalarType power_dtype(bool is_complex, const Tensor& out) {
  const ScalarType dtype = is_complex ? kComplexDouble : kDouble;
  TORCH_CHECK(
      out.scalar_type() == dtype, "the output given to float_power has dtype ", out.scalar_type(),
      " but the operation's result requires dtype ", dtype);
  return dtype;
}

} // namespace

Tensor& float_power_out(const Tensor& self, const Tensor& exponent, Tensor& out) {
  const ScalarType dtype = power_dtype(self.is_complex() || exponent.is_complex(), out);
  return at::pow_out(out, at::methods::to(self, dtype), at::methods::to(exponent, dtype));
}

Tensor& float_power_out(const Tensor& self, const Scalar& exponent, Tensor& out) {
  const ScalarType dtype = power_dtype(self.is_complex() || exponent.isComplex(), out);
  return at::pow_out(out, at::methods::to(self, dtype), exponent);
}

Tensor& float_power_out(const Scalar& self, const Tensor& exponent, Tensor& out) {
  const ScalarType dtype = power_dtype(self.isComplex() || exponent.is_complex(), out);
  return at::pow_out(out, self, at::methods::to(exponent, dtype));
}

namespace {

void check_complex_output(const Tensor& a, const Tensor& b, const Tensor& out) {
  if (a.scalar_type() != b.scalar_type() || !a.is_floating_point() ||
      a.scalar_type() == kBFloat16) {
    return; // refused by the operator
  }
  const ScalarType dtype = c10::toComplexType(a.scalar_type());
  TORCH_CHECK(
      out.scalar_type() == dtype, "Expected object of scalar type ", dtype, " but got scalar type ",
      out.scalar_type(), " for argument 'out'");
}

} // namespace

Tensor& complex_out(const Tensor& real, const Tensor& imag, Tensor& out) {
  check_complex_output(real, imag, out);
  return copied(out, at::complex(real, imag));
}

Tensor& polar_out(const Tensor& abs, const Tensor& angle, Tensor& out) {
  check_complex_output(abs, angle, out);
  return copied(out, at::polar(abs, angle));
}

// ---- reductions and order statistics -----------------------------------------------------------

Tensor& nansum_out(
    const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
    Tensor& out) {
  const ScalarType result = out.scalar_type();
  TORCH_CHECK(
      !dtype || *dtype == result, "nansum: provided dtype must match dtype of result. Got ", result,
      " and ", dtype.value_or(result), ".");
  TORCH_CHECK_NOT_IMPLEMENTED(
      !self.is_floating_point() || c10::isFloatingType(result),
      "\"nansum_cpu\" not implemented for '", result, "'");
  return copied(out, at::nansum(self, dim, keepdim, result));
}

Tensor& nanmean_out(
    const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
    Tensor& out) {
  TORCH_CHECK(
      self.is_floating_point() || self.is_complex(),
      "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty "
      "tensors.");
  const Tensor count = at::sum(at::logical_not(at::isnan(self)), dim, keepdim);
  at::nansum_out(out, self, dim, keepdim, dtype);
  return at::methods::div_(out, count);
}

Tensor& histc_out(
    const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max, Tensor& out) {
  TORCH_CHECK(
      out.scalar_type() == self.scalar_type(),
      "torch.histogram: input tensor and hist tensor should have the same dtype, but got input ",
      self.dtype(), " and hist ", out.dtype());
  return copied(out, at::histc(self, bins, min, max));
}

std::tuple<Tensor&, Tensor&> kthvalue_out(
    const Tensor& self, int64_t k, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  TORCH_CHECK(
      values.scalar_type() == self.scalar_type(), "output values must be of same type as input");
  TORCH_CHECK(indices.scalar_type() == kLong, "output indices must be of scalar type Long");
  return copied_all(at::kthvalue(self, k, dim, keepdim), values, indices);
}

namespace {

void check_median_outputs(
    const char* name, const Tensor& self, const Tensor& values, const Tensor& indices) {
  TORCH_CHECK(
      values.device() == self.device(), "Expected all tensors to be on the same device, but found ",
      values.device(), " and ", self.device());
  TORCH_CHECK(
      values.scalar_type() == self.scalar_type(),
      "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but "
      "type ",
      values.toString(), " does not equal ", self.toString(), " (while checking arguments for ",
      name, ")");
  TORCH_CHECK(
      indices.scalar_type() == kLong,
      "Expected tensor for argument #1 'indices' to have scalar type Long; but got ",
      indices.toString(), " instead (while checking arguments for ", name, ")");
}

} // namespace

std::tuple<Tensor&, Tensor&> median_out(
    const Tensor& self, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  check_median_outputs("median", self, values, indices);
  return copied_all(at::median(self, dim, keepdim), values, indices);
}

std::tuple<Tensor&, Tensor&> nanmedian_out(
    const Tensor& self, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  check_median_outputs("nanmedian", self, values, indices);
  return copied_all(at::nanmedian(self, dim, keepdim), values, indices);
}

std::tuple<Tensor&, Tensor&> mode_out(
    const Tensor& self, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  TORCH_CHECK(
      values.scalar_type() == self.scalar_type(), "expected scalar type '", self.scalar_type(),
      "' but got '", values.scalar_type(), "' for values output");
  TORCH_CHECK(
      indices.scalar_type() == kLong, "expected scalar type 'Long' but got '",
      indices.scalar_type(), "' for indices output");
  return copied_all(at::mode(self, dim, keepdim), values, indices);
}

namespace {

Tensor& copied_quantile(Tensor& out, const Tensor& result) {
  TORCH_CHECK(
      out.scalar_type() == result.scalar_type(),
      "quantile() out tensor must be same dtype as the input tensor");
  TORCH_CHECK(
      out.device() == result.device(),
      "quantile() out tensor must be on the same device as the input tensor");
  resize_output(out, result.sizes());
  return at::methods::copy_(out, result);
}

} // namespace

Tensor& quantile_out(
    const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation, Tensor& out) {
  return copied_quantile(out, at::quantile(self, q, dim, keepdim, interpolation));
}

Tensor& quantile_out(
    const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation, Tensor& out) {
  return copied_quantile(out, at::quantile(self, q, dim, keepdim, interpolation));
}

Tensor& nanquantile_out(
    const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation, Tensor& out) {
  return copied_quantile(out, at::nanquantile(self, q, dim, keepdim, interpolation));
}

Tensor& nanquantile_out(
    const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation, Tensor& out) {
  return copied_quantile(out, at::nanquantile(self, q, dim, keepdim, interpolation));
}

// ---- searches ----------------------------------------------------------------------------------

namespace {

void check_search_output(bool out_int32, const Tensor& out) {
  TORCH_CHECK(
      out.scalar_type() == (out_int32 ? kInt : kLong),
      "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or "
      "Long(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype ",
      out.scalar_type(), " and out_int32 flag is ", out_int32 ? "True" : "False");
}

} // namespace

Tensor& searchsorted_out(
    const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
    std::optional<c10::string_view> side, const std::optional<Tensor>& sorter, Tensor& out) {
  const Tensor result = at::searchsorted(sorted_sequence, self, out_int32, right, side, sorter);
  check_search_output(out_int32, out);
  return copied(out, result);
}

Tensor& searchsorted_out(
    const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right,
    std::optional<c10::string_view> side, const std::optional<Tensor>& sorter, Tensor& out) {
  const Tensor result = at::searchsorted(sorted_sequence, self, out_int32, right, side, sorter);
  check_search_output(out_int32, out);
  return copied(out, result);
}

Tensor& bucketize_out(
    const Tensor& self, const Tensor& boundaries, bool out_int32, bool right, Tensor& out) {
  const Tensor result = at::bucketize(self, boundaries, out_int32, right);
  check_search_output(out_int32, out);
  return copied(out, result);
}

// ---- factories ---------------------------------------------------------------------------------

namespace {

template <typename Start, typename End>
Tensor& logspace_into(Tensor& out, const Start& start, const End& end, int64_t steps, double base) {
  const Tensor result = at::logspace(start, end, steps, base, out.options().layout(kStrided));
  if (out.numel() != steps) {
    at::methods::resize_(out, result.sizes());
  }
  return at::methods::copy_(out, at::methods::view_as(result, out));
}

} // namespace

Tensor& logspace_out(
    const Scalar& start, const Scalar& end, int64_t steps, double base, Tensor& out) {
  return logspace_into(out, start, end, steps, base);
}

Tensor& logspace_out(
    const Tensor& start, const Tensor& end, int64_t steps, double base, Tensor& out) {
  return logspace_into(out, start, end, steps, base);
}

Tensor& logspace_out(
    const Tensor& start, const Scalar& end, int64_t steps, double base, Tensor& out) {
  return logspace_into(out, start, end, steps, base);
}

Tensor& logspace_out(
    const Scalar& start, const Tensor& end, int64_t steps, double base, Tensor& out) {
  return logspace_into(out, start, end, steps, base);
}

// ---- matrices ----------------------------------------------------------------------------------

Tensor& diag_out(const Tensor& self, int64_t diagonal, Tensor& out) {
  TORCH_CHECK(
      self.dim() == 1 || self.dim() == 2, "Supports 1D or 2D tensors. Got ", self.dim(), "D");
  return copied(out, at::diag(self, diagonal));
}

Tensor& linalg_cross_out(const Tensor& self, const Tensor& other, int64_t dim, Tensor& out) {
  return copied(out, at::linalg_cross(self, other, dim));
}

Tensor& linalg_det_out(const Tensor& A, Tensor& out) {
  return copied(out, at::linalg_det(A));
}

std::tuple<Tensor&, Tensor&> linalg_slogdet_out(const Tensor& A, Tensor& sign, Tensor& logabsdet) {
  return copied_all(at::linalg_slogdet(A), sign, logabsdet);
}

std::tuple<Tensor&, Tensor&> linalg_inv_ex_out(
    const Tensor& A, bool check_errors, Tensor& inverse, Tensor& info) {
  return copied_all(at::linalg_inv_ex(A, check_errors), inverse, info);
}

Tensor& linalg_inv_out(const Tensor& A, Tensor& out) {
  Tensor info = at::empty({0}, A.options().dtype(kInt));
  at::linalg_inv_ex_out(out, info, A, /*check_errors=*/true);
  return out;
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_factor_ex_out(
    const Tensor& A, bool pivot, bool check_errors, Tensor& LU, Tensor& pivots, Tensor& info) {
  return copied_all(at::linalg_lu_factor_ex(A, pivot, check_errors), LU, pivots, info);
}

std::tuple<Tensor&, Tensor&> linalg_lu_factor_out(
    const Tensor& A, bool pivot, Tensor& LU, Tensor& pivots) {
  Tensor info = at::empty({0}, A.options().dtype(kInt));
  at::linalg_lu_factor_ex_out(LU, pivots, info, A, pivot, /*check_errors=*/false);
  check_usable_factors(info, "torch.linalg.lu_factor");
  return {LU, pivots};
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_out(
    const Tensor& A, bool pivot, Tensor& P, Tensor& L, Tensor& U) {
  return copied_all(at::linalg_lu(A, pivot), P, L, U);
}

std::tuple<Tensor&, Tensor&, Tensor&> lu_unpack_out(
    const Tensor& LU_data, const Tensor& LU_pivots, bool unpack_data, bool unpack_pivots, Tensor& P,
    Tensor& L, Tensor& U) {
  return copied_all(at::lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots), P, L, U);
}

Tensor& linalg_lu_solve_out(
    const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint, Tensor& out) {
  return copied(out, at::linalg_lu_solve(LU, pivots, B, left, adjoint));
}

std::tuple<Tensor&, Tensor&> linalg_solve_ex_out(
    const Tensor& A, const Tensor& B, bool left, bool check_errors, Tensor& result, Tensor& info) {
  return copied_all(at::linalg_solve_ex(A, B, left, check_errors), result, info);
}

Tensor& linalg_solve_out(const Tensor& A, const Tensor& B, bool left, Tensor& out) {
  return copied(out, at::linalg_solve(A, B, left));
}

Tensor& linalg_solve_triangular_out(
    const Tensor& self, const Tensor& B, bool upper, bool left, bool unitriangular, Tensor& out) {
  TORCH_CHECK(
      out.scalar_type() == self.scalar_type(), "expected scalar type ", self.scalar_type(),
      " but found ", out.scalar_type());
  return copied(out, at::linalg_solve_triangular(self, B, upper, left, unitriangular));
}

std::tuple<Tensor&, Tensor&> linalg_qr_out(
    const Tensor& A, c10::string_view mode, Tensor& Q, Tensor& R) {
  return copied_all(at::linalg_qr(A, mode), Q, R);
}

std::tuple<Tensor&, Tensor&> linalg_eigh_out(
    const Tensor& self, c10::string_view UPLO, Tensor& eigvals, Tensor& eigvecs) {
  return copied_all(at::linalg_eigh(self, UPLO), eigvals, eigvecs);
}

Tensor& linalg_eigvalsh_out(const Tensor& self, c10::string_view UPLO, Tensor& out) {
  return copied(out, at::linalg_eigvalsh(self, UPLO));
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_out(
    const Tensor& A, bool full_matrices, std::optional<c10::string_view> driver, Tensor& U,
    Tensor& S, Tensor& Vh) {
  return copied_all(at::linalg_svd(A, full_matrices, driver), U, S, Vh);
}

Tensor& linalg_svdvals_out(const Tensor& A, std::optional<c10::string_view> driver, Tensor& out) {
  return copied(out, at::linalg_svdvals(A, driver));
}

} // namespace at::native
