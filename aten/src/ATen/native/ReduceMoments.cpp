// var, std and var_mean.

#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ReduceStubs.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/add.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/real.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/std.h>
#include <ATen/ops/std_native.h>
#include <ATen/ops/var.h>
#include <ATen/ops/var_mean.h>
#include <ATen/ops/var_mean_native.h>
#include <ATen/ops/var_native.h>
#include <c10/core/Scalar.h>

#include <cmath>

namespace at::native {

DEFINE_DISPATCH(moments_kernels);

namespace {

template <class Out>
void store_moments(
    const ReduceSink& sink, const MomentsAcc* acc, int64_t count, Out* out, int64_t step, Out* mean,
    int64_t mean_step) {
  for (int64_t i = 0; i < count; ++i) {
    const double n = static_cast<double>(acc[i].n);
    const double freedom = n - sink.param;
    const double var = acc[i].n == 0 ? NAN : acc[i].m2 / (freedom > 0 ? freedom : 0);
    const double value = sink.flag ? std::sqrt(var) : var;
    using Narrow = std::conditional_t<std::is_same_v<Out, double>, double, float>;
    out[i * step] = static_cast<Out>(static_cast<Narrow>(value));
    if (mean != nullptr) {
      const double m = acc[i].n == 0 ? NAN : acc[i].mean;
      mean[i * mean_step] = static_cast<Out>(static_cast<Narrow>(m));
    }
  }
}

template <class Out>
void store_as(
    const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t step, void* mean,
    int64_t mean_step) {
  store_moments(
      sink, static_cast<const MomentsAcc*>(acc), count, static_cast<Out*>(out), step,
      static_cast<Out*>(mean), mean_step);
}

ReduceSink::Store moments_store(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double:
      return &store_as<double>;
    case ScalarType::Half:
      return &store_as<c10::Half>;
    case ScalarType::BFloat16:
      return &store_as<c10::BFloat16>;
    default:
      return &store_as<float>;
  }
}

bool is_full(DimMask mask, int64_t ndim) {
  return ndim == 0 || (mask << static_cast<size_t>(64 - ndim)).count() == static_cast<size_t>(ndim);
}

void warn_about_freedom(
    const char* name, const Tensor& self, const Tensor& result, double correction) {
  const double length = static_cast<double>(self.numel()) / static_cast<double>(result.numel());
  if (result.numel() > 0 && correction >= length) {
    TORCH_WARN(
        name, "(): degrees of freedom is <= 0. Correction should be strictly less than the ",
        "reduction factor (input numel divided by output numel).");
  }
}

// Fills `result` (and `mean`, if defined), both in the input's dtype.
void fold_moments(
    const char* name, const Tensor& self, DimMask mask, double correction, bool take_sqrt,
    const Tensor& result, const Tensor& mean) {
  const ScalarType dtype = self.scalar_type();
  warn_about_freedom(name, self, result, correction);
  const ReduceKernel& kernel =
      require_kernel(moments_kernels(self.device().type(), dtype), "std_cpu", dtype);
  const ReduceSink sink{moments_store(dtype), dtype, correction, take_sqrt, SinkKind::Moments};
  if (is_full(mask, self.dim()) && self.is_non_overlapping_and_dense()) {
    reduce_flat(kernel, sink, self, result, mean, 0);
  } else {
    reduce_dims(kernel, sink, self, mask, result, mean);
  }
}

void check_moments_dtype(const Tensor& self, const char* functions = "std and var") {
  TORCH_CHECK(
      self.layout() == Layout::Strided, functions,
      " only supports strided layout, got: ", self.layout());
  TORCH_CHECK(
      self.is_floating_point() || self.is_complex(), functions,
      " only support floating point and complex dtypes");
}

double correction_of(const std::optional<Scalar>& correction) {
  return correction.has_value() ? correction->toDouble() : 1.0;
}

// var(z) = var(re z) + var(im z).
Tensor complex_var(
    const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
    bool keepdim) {
  return at::add(
      at::var(at::real(self), dim, correction, keepdim),
      at::var(at::imag(self), dim, correction, keepdim));
}

Tensor moments(
    const char* name, const Tensor& self, OptionalIntArrayRef dim,
    const std::optional<Scalar>& correction, bool keepdim, bool take_sqrt) {
  check_moments_dtype(self);
  if (self.is_complex()) {
    const Tensor var = complex_var(self, dim, correction, keepdim);
    return take_sqrt ? at::sqrt(var) : var;
  }
  const DimMask mask = make_dim_mask(dim, self.dim());
  const bool fast = self.is_cpu() && !keepdim && is_full(mask, self.dim());
  Tensor result = fast ? make_scalar(self, self.scalar_type())
                       : make_reduced(self, mask, keepdim, self.scalar_type());
  if (!self.is_meta()) {
    fold_moments(name, self, mask, correction_of(correction), take_sqrt, result, Tensor());
  }
  return result;
}

Tensor& moments_out(
    const char* name, const Tensor& self, OptionalIntArrayRef dim,
    const std::optional<Scalar>& correction, bool keepdim, bool take_sqrt, Tensor& result) {
  const Tensor value = moments(name, self, dim, correction, keepdim, take_sqrt);
  TORCH_CHECK(
      c10::canCast(value.scalar_type(), result.scalar_type()), "result type ", value.scalar_type(),
      " can't be cast to the desired output type ", result.scalar_type());
  resize_output(result, value.sizes());
  return at::methods::copy_(result, value);
}

} // namespace

Tensor var(
    const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
    bool keepdim) {
  return moments("var", self, dim, correction, keepdim, false);
}

Tensor std(
    const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
    bool keepdim) {
  return moments("std", self, dim, correction, keepdim, true);
}

Tensor& var_out(
    const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
    bool keepdim, Tensor& result) {
  return moments_out("var", self, dim, correction, keepdim, false, result);
}

Tensor& std_out(
    const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
    bool keepdim, Tensor& result) {
  return moments_out("std", self, dim, correction, keepdim, true, result);
}

std::tuple<Tensor, Tensor> var_mean(
    const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
    bool keepdim) {
  check_moments_dtype(self, "var_mean");
  if (self.is_complex()) {
    return {complex_var(self, dim, correction, keepdim), at::mean(self, dim, keepdim)};
  }
  const DimMask mask = make_dim_mask(dim, self.dim());
  Tensor result = make_reduced(self, mask, keepdim, self.scalar_type());
  Tensor mean = make_reduced(self, mask, keepdim, self.scalar_type());
  if (!self.is_meta()) {
    fold_moments("var_mean", self, mask, correction_of(correction), false, result, mean);
  }
  return {result, mean};
}

// The older overloads: unbiased=True means a correction of one.

Tensor var(const Tensor& self, bool unbiased) {
  return at::var(self, OptionalIntArrayRef(), Scalar(unbiased ? 1 : 0), false);
}

Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::var(self, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

Tensor& var_out(
    const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim, Tensor& result) {
  return at::var_out(result, self, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

Tensor std(const Tensor& self, bool unbiased) {
  return at::std(self, OptionalIntArrayRef(), Scalar(unbiased ? 1 : 0), false);
}

Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::std(self, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

Tensor& std_out(
    const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim, Tensor& result) {
  return at::std_out(result, self, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
  return at::var_mean(self, OptionalIntArrayRef(), Scalar(unbiased ? 1 : 0), false);
}

std::tuple<Tensor, Tensor> var_mean(
    const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::var_mean(self, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

} // namespace at::native
