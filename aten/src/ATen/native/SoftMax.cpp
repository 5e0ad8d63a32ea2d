// softmax and log_softmax.

#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/SoftMaxStub.h>

#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/_log_softmax_meta.h>
#include <ATen/ops/_log_softmax_native.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_meta.h>
#include <ATen/ops/_safe_softmax_native.h>
#include <ATen/ops/_softmax_native.h>
#include <ATen/ops/all.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/log_softmax_native.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/softmax_native.h>
#include <ATen/ops/to.h>
#include <c10/core/WrapDimMinimal.h>

#include <limits>

namespace at::native {

DEFINE_DISPATCH(softmax_stub);

namespace {

void softmax_meta(impl::MetaBase& meta, const Tensor& self, int64_t dim) {
  c10::maybe_wrap_dim(dim, self.dim());
  meta.set_output_raw_strided(0, self.sizes(), {}, self.options());
}

void run_softmax(
    const Tensor& self, int64_t dim, bool half_to_float, bool log, const Tensor& result) {
  TORCH_CHECK(
      !half_to_float, log ? "log_softmax" : "softmax",
      " with half to float conversion is not supported on CPU");
  const ScalarType dtype = self.scalar_type();
  if (self.numel() == 0) {
    return;
  }
  const int64_t at = c10::maybe_wrap_dim(dim, self.dim());
  if (!c10::isFloatingType(dtype) || c10::isStorageType(dtype)) {
    const bool last = at + 1 >= self.dim();
    unsupported_dtype(
        log ? (last ? "log_softmax_lastdim_kernel_impl" : "log_softmax_kernel_impl")
            : (last ? "softmax_lastdim_kernel_impl" : "softmax_kernel_impl"),
        dtype);
  }
  int64_t outer = 1, n = 1, inner = 1;
  for (int64_t d = 0; d < self.dim(); ++d) {
    (d < at ? outer : d > at ? inner : n) *= self.size(d);
  }
  const Tensor in = self.contiguous();
  const Tensor out = result.is_contiguous() ? result : at::empty_like(in);
  softmax_stub(
      self.device().type(), dtype, in.const_data_ptr(), out.mutable_data_ptr(), outer, n, inner,
      log);
  if (!out.is_same(result)) {
    at::methods::copy_(result, out);
  }
}

Tensor in_dtype(const Tensor& self, std::optional<ScalarType> dtype) {
  return dtype.has_value() ? at::methods::to(self, *dtype) : self;
}

} // namespace

TORCH_IMPL_FUNC(softmax_cpu_out)
(const Tensor& self, int64_t dim, bool half_to_float, const Tensor& result) {
  run_softmax(self, dim, half_to_float, false, result);
}

TORCH_IMPL_FUNC(log_softmax_cpu_out)
(const Tensor& self, int64_t dim, bool half_to_float, const Tensor& result) {
  run_softmax(self, dim, half_to_float, true, result);
}

Tensor softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  return at::_softmax(in_dtype(self, dtype), dim, false);
}

// Rows without anything but minus infinity become zeros, and so do their gradients.
Tensor _safe_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  const Tensor masked = at::all(at::eq(self, kNothing), dim, /*keepdim=*/true);
  return at::masked_fill(at::softmax(at::masked_fill(self, masked, 0), dim, dtype), masked, 0);
}

Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  return at::_log_softmax(in_dtype(self, dtype), dim, false);
}

Tensor& softmax_out(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
  return at::_softmax_out(out, in_dtype(self, dtype), dim, false);
}

Tensor& log_softmax_out(
    const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
  return at::_log_softmax_out(out, in_dtype(self, dtype), dim, false);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(_softmax)(const Tensor& self, int64_t dim, bool half_to_float) {
  native::softmax_meta(*this, self, dim);
}

TORCH_META_FUNC(_log_softmax)(const Tensor& self, int64_t dim, bool half_to_float) {
  native::softmax_meta(*this, self, dim);
}

} // namespace at::meta
