// any, all and count_nonzero.

#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ReduceStubs.h>

#include <ATen/ops/all.h>
#include <ATen/ops/all_meta.h>
#include <ATen/ops/all_native.h>
#include <ATen/ops/any.h>
#include <ATen/ops/any_meta.h>
#include <ATen/ops/any_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/count_nonzero.h>
#include <ATen/ops/count_nonzero_native.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/to.h>

namespace at::native {

DEFINE_DISPATCH(nonzero_kernels);

namespace {

void store_truth(
    const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t step, void*,
    int64_t) {
  const int64_t* found = static_cast<const int64_t*>(acc);
  for (int64_t i = 0; i < count; ++i) {
    static_cast<bool*>(out)[i * step] = (found[i] > 0) != sink.flag;
  }
}

// The result's dtype: that of out= if given, else bool, except that uint8 gives uint8.
ScalarType truth_dtype(const char* name, const Tensor& self, const Tensor& out) {
  if (out.defined()) {
    TORCH_CHECK(
        out.scalar_type() == ScalarType::Bool || out.scalar_type() == ScalarType::Byte, name,
        " only supports bool tensor for result, got: ", out.scalar_type());
    return out.scalar_type();
  }
  return self.scalar_type() == ScalarType::Byte ? ScalarType::Byte : ScalarType::Bool;
}

void fold_truth(bool is_all, const Tensor& self, DimMask mask, const Tensor& result) {
  const ScalarType dtype = self.scalar_type();
  if (c10::isFloat8Type(dtype)) {
    return fold_truth(is_all, at::methods::to(self, kBool), mask, result);
  }
  const ReduceKernel& kernel =
      require_kernel(nonzero_kernels(self.device().type(), dtype), is_all ? "all" : "any", dtype);
  const ReduceSink sink{&store_truth, dtype, 0, is_all, SinkKind::Truth};
  const double mode = is_all ? kAnyZero : kAnyNonzero;
  const size_t dims = static_cast<size_t>(self.dim());
  if (dims == 0 || (mask << (64 - dims)).count() == dims) {
    reduce_all(kernel, sink, self, result, mode);
  } else {
    reduce_dims(kernel, sink, self, mask, result, mode);
  }
}

const ReduceSink count_sink{&store_integer, ScalarType::Long};

} // namespace

TORCH_IMPL_FUNC(all_out)(const Tensor& self, int64_t dim, bool keepdim, const Tensor& result) {
  fold_truth(true, self, one_dim_mask(dim, self.dim()), result);
}

TORCH_IMPL_FUNC(any_out)(const Tensor& self, int64_t dim, bool keepdim, const Tensor& result) {
  fold_truth(false, self, one_dim_mask(dim, self.dim()), result);
}

TORCH_IMPL_FUNC(all_dims_out)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, const Tensor& result) {
  fold_truth(true, self, make_dim_mask(dim, self.dim(), true), result);
}

TORCH_IMPL_FUNC(any_dims_out)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, const Tensor& result) {
  fold_truth(false, self, make_dim_mask(dim, self.dim(), true), result);
}

TORCH_IMPL_FUNC(all_all_out)(const Tensor& self, const Tensor& result) {
  fold_truth(true, self, DimMask().set(), result);
}

TORCH_IMPL_FUNC(any_all_out)(const Tensor& self, const Tensor& result) {
  fold_truth(false, self, DimMask().set(), result);
}

namespace {

// Reduces one dimension at a time, for a backend without a kernel for several.
Tensor truth_by_dims(bool is_all, const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  const DimMask mask = make_dim_mask(dim, self.dim(), true);
  Tensor result = self;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (mask[static_cast<size_t>(d)]) {
      result = is_all ? at::all(result, d, true) : at::any(result, d, true);
    }
  }
  if (result.is_same(self)) {
    result = at::methods::to(
        self, self.scalar_type() == ScalarType::Byte ? ScalarType::Byte : ScalarType::Bool);
  }
  return at::reshape(result, reduced_shape(self, mask, keepdim));
}

Tensor& copy_truth(const Tensor& value, Tensor& out) {
  at::methods::resize_(out, value.sizes());
  return at::methods::copy_(out, value);
}

} // namespace

Tensor all_dims_default(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return truth_by_dims(true, self, dim, keepdim);
}

Tensor any_dims_default(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return truth_by_dims(false, self, dim, keepdim);
}

Tensor& all_dims_out_default(
    const Tensor& self, OptionalIntArrayRef dim, bool keepdim, Tensor& out) {
  return copy_truth(all_dims_default(self, dim, keepdim), out);
}

Tensor& any_dims_out_default(
    const Tensor& self, OptionalIntArrayRef dim, bool keepdim, Tensor& out) {
  return copy_truth(any_dims_default(self, dim, keepdim), out);
}

Tensor count_nonzero_cpu(const Tensor& self, IntArrayRef dims) {
  if (c10::isFloat8Type(self.scalar_type())) {
    return count_nonzero_cpu(at::ne(self, 0), dims);
  }
  const DimMask mask = make_dim_mask(dims, self.dim());
  Tensor result = make_reduced(self, mask, false, ScalarType::Long);
  if (!self.is_meta()) {
    const ScalarType dtype = self.scalar_type();
    reduce_dims(
        require_kernel(nonzero_kernels(self.device().type(), dtype), "nonzero_count_cpu", dtype),
        count_sink, self, mask, result, kCountNonzero);
  }
  return result;
}

Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim) {
  if (dim.has_value()) {
    return at::count_nonzero(self, IntArrayRef(*dim));
  }
  return at::count_nonzero(self, IntArrayRef());
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC2(all, dim)(const Tensor& self, int64_t dim, bool keepdim) {
  native::resize_reduction(
      *this, self, IntArrayRef(dim), keepdim, native::truth_dtype("all", self, maybe_get_output()));
}

TORCH_META_FUNC2(any, dim)(const Tensor& self, int64_t dim, bool keepdim) {
  native::resize_reduction(
      *this, self, IntArrayRef(dim), keepdim, native::truth_dtype("any", self, maybe_get_output()));
}

TORCH_META_FUNC2(all, dims)(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  native::resize_reduction(
      *this, self, dim, keepdim, native::truth_dtype("all", self, maybe_get_output()), true);
}

TORCH_META_FUNC2(any, dims)(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  native::resize_reduction(
      *this, self, dim, keepdim, native::truth_dtype("any", self, maybe_get_output()), true);
}

TORCH_META_FUNC(all)(const Tensor& self) {
  native::resize_reduction(
      *this, self, OptionalIntArrayRef(), false,
      native::truth_dtype("all", self, maybe_get_output()));
}

TORCH_META_FUNC(any)(const Tensor& self) {
  native::resize_reduction(
      *this, self, OptionalIntArrayRef(), false,
      native::truth_dtype("any", self, maybe_get_output()));
}

} // namespace at::meta
