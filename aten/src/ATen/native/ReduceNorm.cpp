// linalg_vector_norm, norm and logsumexp.

#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/ReduceStubs.h>
#include <ATen/native/SoftMaxStub.h>

#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linalg_vector_norm_meta.h>
#include <ATen/ops/linalg_vector_norm_native.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/logsumexp_native.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/norm_meta.h>
#include <ATen/ops/norm_native.h>
#include <ATen/ops/real.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/view.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/Scalar.h>
#include <c10/core/WrapDimMinimal.h>

#include <cmath>

namespace at::native {

DEFINE_DISPATCH(norm_kernels);
DEFINE_DISPATCH(logsumexp_stub);

namespace {

NormKind kind_of(double p) {
  if (p == 0) {
    return NormKind::Zero;
  }
  if (p == 1) {
    return NormKind::One;
  }
  if (p == 2) {
    return NormKind::Two;
  }
  if (std::isinf(p)) {
    return p > 0 ? NormKind::Max : NormKind::Min;
  }
  return NormKind::P;
}

// Takes the root of each accumulated sum of powers.
template <class Out>
void store_root(
    const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t step, void*,
    int64_t) {
  using Narrow = std::conditional_t<std::is_same_v<Out, double>, double, float>;
  const double* total = static_cast<const double*>(acc);
  for (int64_t i = 0; i < count; ++i) {
    double value = total[i];
    if (sink.param == 2) {
      value = std::sqrt(value);
    } else if (sink.flag) {
      value = std::pow(value, 1 / sink.param);
    }
    static_cast<Out*>(out)[i * step] = static_cast<Out>(static_cast<Narrow>(value));
  }
}

ReduceSink::Store root_store(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double:
      return &store_root<double>;
    case ScalarType::Half:
      return &store_root<c10::Half>;
    case ScalarType::BFloat16:
      return &store_root<c10::BFloat16>;
    default:
      return &store_root<float>;
  }
}

void check_norm_dtype(std::optional<ScalarType> dtype, ScalarType in) {
  if (!dtype.has_value()) {
    return;
  }
  TORCH_CHECK(
      c10::isFloatingType(*dtype) || c10::isComplexType(*dtype),
      "linalg.vector_norm: dtype should be floating point or complex, but got ", *dtype);
  TORCH_CHECK(
      c10::isComplexType(in) == c10::isComplexType(*dtype), "linalg.vector_norm: dtype should be ",
      c10::isComplexType(in) ? "complex" : "real", " for ",
      c10::isComplexType(in) ? "complex" : "real", " inputs, but got ", *dtype);
  TORCH_CHECK(
      c10::promoteTypes(in, *dtype) == *dtype, "linalg.vector_norm: the dtype of the input (", in,
      ") should be convertible without narrowing to the specified dtype (", *dtype, ")");
}

// Norms of order < 0 and inf have no identity.
void check_norm_of_empty(const Tensor& self, double ord, OptionalIntArrayRef dim) {
  if (self.numel() > 0 || !(ord < 0 || std::isinf(ord))) {
    return;
  }
  const Scalar order =
      std::isinf(ord) || ord != std::floor(ord) ? Scalar(ord) : Scalar(static_cast<int64_t>(ord));
  TORCH_CHECK(
      dim.has_value() && !dim->empty(), "linalg.vector_norm cannot compute the ", order,
      " norm on an empty tensor because the operation does not have an identity");
  for (const int64_t d : *dim) {
    TORCH_CHECK(
        self.size(d) != 0, "linalg.vector_norm cannot compute the ", order,
        " norm on the dimension ", d,
        "because this dimension is empty and the operation does not have an identity");
  }
}

void vector_norm_meta(
    impl::MetaBase& meta, const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim,
    bool keepdim, std::optional<ScalarType> dtype) {
  TORCH_CHECK(
      self.is_floating_point() || self.is_complex(),
      "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
      self.scalar_type());
  TORCH_CHECK(
      !ord.isComplex(), "linalg.vector_norm: Expected a non-complex scalar as the order of norm.");
  check_norm_of_empty(self, ord.toDouble(), dim);
  check_norm_dtype(dtype, self.scalar_type());
  resize_reduction(
      meta, self, dim, keepdim, c10::toRealValueType(dtype.value_or(self.scalar_type())));
}

void fold_norm(const Tensor& self, double p, OptionalIntArrayRef dim, const Tensor& result) {
  check_not_storage_dtype(result.scalar_type(), "norm_cpu");
  const ScalarType dtype = result.scalar_type();
  const Tensor magnitude = self.is_complex() ? at::abs(self) : self;
  // The half types are reduced in float.
  const Tensor in =
      at::methods::to(magnitude, dtype == ScalarType::Double ? dtype : ScalarType::Float);
  const NormKind kind = kind_of(p);
  const ReduceKernel& kernel = require_kernel(
      norm_kernels(in.device().type(), in.scalar_type(), kind), "norm_cpu", in.scalar_type());
  const ReduceSink sink{root_store(dtype), dtype, p, kind == NormKind::P, SinkKind::Root};
  if (result.numel() == 1 && self.numel() > 0) {
    reduce_all(kernel, sink, in, result, p);
  } else {
    reduce_dims(kernel, sink, in, make_dim_mask(dim, self.dim()), result, p);
  }
}

Scalar order_of(const OptionalScalarRef& p) {
  return p.has_value() ? p.get() : Scalar(2);
}

} // namespace

TORCH_IMPL_FUNC(linalg_vector_norm_out)
(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
 std::optional<ScalarType> dtype, const Tensor& result) {
  fold_norm(self, ord.toDouble(), dim, result);
}

TORCH_IMPL_FUNC(norm_out)
(const Tensor& self, const OptionalScalarRef p, IntArrayRef dim, bool keepdim,
 const Tensor& result) {
  fold_norm(self, order_of(p).toDouble(), dim, result);
}

TORCH_IMPL_FUNC(norm_dtype_out)
(const Tensor& self, const OptionalScalarRef p, IntArrayRef dim, bool keepdim, ScalarType dtype,
 const Tensor& result) {
  fold_norm(self, order_of(p).toDouble(), dim, result);
}

Tensor norm(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype) {
  return at::linalg_vector_norm(self, p.value_or(Scalar(2)), OptionalIntArrayRef(), false, dtype);
}

Tensor norm(const Tensor& self, const Scalar& p) {
  return at::linalg_vector_norm(self, p, OptionalIntArrayRef(), false, std::nullopt);
}

namespace {

// Returns how many trailing dimensions of a contiguous CPU tensor are folded, or 0 if the folded
// dimensions are not the last ones.
int64_t trailing_dims(const Tensor& self, DimMask mask) {
  int64_t count = 0;
  for (int64_t d = self.dim() - 1; d >= 0 && mask[static_cast<size_t>(d)]; --d) {
    ++count;
  }
  for (int64_t d = 0; d < self.dim() - count; ++d) {
    if (mask[static_cast<size_t>(d)]) {
      return 0;
    }
  }
  return count;
}

// Runs the fused kernel over rows; returns false if it does not support the shape or dtype.
bool fused_logsumexp(const Tensor& self, IntArrayRef dims, bool keepdim, Tensor& result) {
  if (!logsumexp_stub.is_device_supported(self.device().type()) || !self.is_contiguous() ||
      self.numel() == 0 || dims.empty() || !self.is_floating_point() ||
      result.scalar_type() != self.scalar_type()) {
    return false;
  }
  const DimMask mask = make_dim_mask(dims, self.dim());
  const int64_t trailing = trailing_dims(self, mask);
  if (trailing == 0) {
    return false;
  }
  int64_t n = 1;
  for (int64_t d = self.dim() - trailing; d < self.dim(); ++d) {
    n *= self.size(d);
  }
  at::methods::resize_(result, reduced_shape(self, mask, keepdim));
  return result.is_contiguous() &&
      logsumexp_stub(
             self.device().type(), self.scalar_type(), self.const_data_ptr(),
             result.mutable_data_ptr(), self.numel() / n, n);
}

// log(sum(exp(x - m))) + m with m = max(x), or 0 if the maximum is infinite.
void logsumexp_into(const Tensor& self, IntArrayRef dims, bool keepdim, Tensor& result) {
  if (fused_logsumexp(self, dims, keepdim, result)) {
    return;
  }
  if (self.numel() == 0) {
    at::sum_out(result, at::exp(self), dims, keepdim);
    at::methods::log_(result);
    return;
  }
  Tensor maxes = at::amax(self.is_complex() ? at::real(self) : self, dims, /*keepdim=*/true);
  at::methods::masked_fill_(maxes, at::eq(at::abs(maxes), INFINITY), 0);
  at::sum_out(result, at::exp(at::sub(self, maxes)), dims, keepdim);
  at::methods::add_(
      at::methods::log_(result), keepdim ? maxes : at::methods::view(maxes, result.sizes()));
}

Tensor in_floating(const Tensor& self) {
  const bool integral = c10::isIntegralType(self.scalar_type(), /*includeBool=*/true);
  return integral ? at::methods::to(self, c10::typeMetaToScalarType(c10::get_default_dtype()))
                  : self;
}

} // namespace

Tensor logsumexp(const Tensor& self, IntArrayRef dims, bool keepdim) {
  const Tensor in = in_floating(self);
  Tensor result = at::empty({0}, in.options());
  logsumexp_into(in, dims, keepdim, result);
  return result;
}

Tensor& logsumexp_out(const Tensor& self, IntArrayRef dims, bool keepdim, Tensor& result) {
  TORCH_CHECK(
      result.is_floating_point() || result.is_complex(),
      "logsumexp(): Expected floating point type for result tensor, but got: ",
      result.scalar_type());
  logsumexp_into(in_floating(self), dims, keepdim, result);
  return result;
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(linalg_vector_norm)
(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
 std::optional<ScalarType> dtype) {
  native::vector_norm_meta(*this, self, ord, dim, keepdim, dtype);
}

TORCH_META_FUNC2(norm, ScalarOpt_dim)
(const Tensor& self, const OptionalScalarRef p, IntArrayRef dim, bool keepdim) {
  native::vector_norm_meta(*this, self, native::order_of(p), dim, keepdim, std::nullopt);
}

TORCH_META_FUNC2(norm, ScalarOpt_dim_dtype)
(const Tensor& self, const OptionalScalarRef p, IntArrayRef dim, bool keepdim, ScalarType dtype) {
  native::vector_norm_meta(*this, self, native::order_of(p), dim, keepdim, dtype);
}

} // namespace at::meta
