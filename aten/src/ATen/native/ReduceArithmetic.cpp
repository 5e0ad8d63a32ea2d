// sum, nansum, mean and prod.

#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ReduceStubs.h>

#include <ATen/ops/mean.h>
#include <ATen/ops/mean_meta.h>
#include <ATen/ops/mean_native.h>
#include <ATen/ops/nansum_native.h>
#include <ATen/ops/prod_meta.h>
#include <ATen/ops/prod_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/sum_meta.h>
#include <ATen/ops/sum_native.h>
#include <ATen/ops/to.h>

#include <cmath>

namespace at::native {

DEFINE_DISPATCH(sum_kernels);
DEFINE_DISPATCH(nansum_kernels);
DEFINE_DISPATCH(prod_kernels);

namespace {

// Sums of narrow integers read the input directly; all other combinations of dtypes convert first,
// as PyTorch does.
Tensor in_dtype_of_result(const Tensor& self, ScalarType out) {
  const ScalarType in = self.scalar_type();
  const bool widens = out == ScalarType::Long && c10::isIntegralType(in, /*includeBool=*/true) &&
      !c10::isBarebonesUnsignedType(in);
  return in == out || widens ? self : at::methods::to(self, out);
}

// Reduces everything to a new tensor; fast path for a contiguous input of the right dtype.
Tensor fold_all(
    const ReduceKernel* (*kernels)(DeviceType, ScalarType), const char* name, const Tensor& self,
    ScalarType out, bool is_mean) {
  Tensor result = make_scalar(self, out);
  const Tensor in = in_dtype_of_result(self, out);
  const ReduceSink sink{arithmetic_store(out), out, static_cast<double>(in.numel()), is_mean};
  reduce_all(
      require_kernel(kernels(in.device().type(), in.scalar_type()), name, in.scalar_type()), sink,
      in, result);
  return result;
}

void fold_dims(
    const ReduceKernel* (*kernels)(DeviceType, ScalarType), const char* name, const Tensor& self,
    DimMask mask, bool is_mean, const Tensor& result) {
  const ScalarType out = result.scalar_type();
  const Tensor in = in_dtype_of_result(self, out);
  int64_t length = 1;
  for (int64_t d = 0; d < in.dim(); ++d) {
    length *= mask[d] ? in.size(d) : 1;
  }
  const ReduceSink sink{arithmetic_store(out), out, static_cast<double>(length), is_mean};
  reduce_dims(
      require_kernel(kernels(in.device().type(), in.scalar_type()), name, in.scalar_type()), sink,
      in, mask, result);
}

const ReduceKernel* sum_of(DeviceType device, ScalarType dtype) {
  return sum_kernels(device, dtype);
}

const ReduceKernel* nansum_of(DeviceType device, ScalarType dtype) {
  return nansum_kernels(device, dtype);
}

const ReduceKernel* prod_of(DeviceType device, ScalarType dtype) {
  return prod_kernels(device, dtype);
}

void check_mean_dtype(const Tensor& self, std::optional<ScalarType> dtype) {
  const ScalarType in = dtype.value_or(self.scalar_type());
  TORCH_CHECK(
      c10::isFloatingType(in) || c10::isComplexType(in), "mean(): could not infer output dtype. ",
      dtype.has_value() ? "Optional" : "Input",
      " dtype must be either a floating point or complex dtype. Got: ", in);
}

} // namespace

TORCH_IMPL_FUNC(sum_out)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
 const Tensor& result) {
  fold_dims(&sum_of, "sum_cpu", self, make_dim_mask(dim, self.dim()), false, result);
}

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
  if (self.is_cpu()) {
    return fold_all(&sum_of, "sum_cpu", self, infer_sum_dtype(self, dtype, Tensor()), false);
  }
  return at::sum(self, OptionalIntArrayRef(), false, dtype);
}

Tensor nansum_cpu(
    const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const ScalarType out = infer_sum_dtype(self, dtype, Tensor());
  // Integers have no NaN, and elements that are converted to integers lose it.
  if (!self.is_floating_point() || !c10::isFloatingType(out)) {
    return native::nansum(self, dim, keepdim, dtype);
  }
  const DimMask mask = make_dim_mask(dim, self.dim());
  Tensor result = make_reduced(self, mask, keepdim, out);
  fold_dims(&nansum_of, "nansum_cpu", self, mask, false, result);
  return result;
}

TORCH_IMPL_FUNC(mean_out)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
 const Tensor& result) {
  fold_dims(&sum_of, "mean_kernel", self, make_dim_mask(dim, self.dim()), true, result);
}

Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) {
  if (self.is_cpu()) {
    check_mean_dtype(self, dtype);
    return fold_all(&sum_of, "mean_kernel", self, dtype.value_or(self.scalar_type()), true);
  }
  return at::mean(self, OptionalIntArrayRef(), false, dtype);
}

Tensor& mean_dtype_out(const Tensor& self, std::optional<ScalarType> dtype, Tensor& result) {
  return at::mean_out(result, self, OptionalIntArrayRef(), false, dtype);
}

TORCH_IMPL_FUNC(prod_out)
(const Tensor& self, int64_t dim, bool keepdim, std::optional<ScalarType> dtype,
 const Tensor& result) {
  fold_dims(&prod_of, "prod_cpu", self, one_dim_mask(dim, self.dim()), false, result);
}

Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
  const ScalarType out = infer_sum_dtype(self, dtype, Tensor());
  if (self.is_meta()) {
    return make_reduced(self, DimMask().set(), false, out);
  }
  return fold_all(&prod_of, "prod_cpu", self, out, false);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC2(sum, dim_IntList)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  native::resize_reduction(
      *this, self, dim, keepdim, native::infer_sum_dtype(self, dtype, maybe_get_output()));
}

TORCH_META_FUNC2(mean, dim)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  native::check_mean_dtype(self, dtype);
  const Tensor& out = maybe_get_output();
  if (out.defined() && !dtype.has_value()) {
    TORCH_CHECK(
        c10::canCast(self.scalar_type(), out.scalar_type()), "result type ", self.scalar_type(),
        " can't be cast to the desired output type ", out.scalar_type());
  }
  native::resize_reduction(*this, self, dim, keepdim, native::infer_sum_dtype(self, dtype, out));
}

TORCH_META_FUNC2(prod, dim_int)
(const Tensor& self, int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
  native::resize_reduction(
      *this, self, dim, keepdim, native::infer_sum_dtype(self, dtype, maybe_get_output()));
}

} // namespace at::meta
