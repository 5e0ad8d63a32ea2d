#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/SoftMaxStub.h>

#include <ATen/ops/_log_softmax_backward_data_meta.h>
#include <ATen/ops/_log_softmax_backward_data_native.h>
#include <ATen/ops/_softmax_backward_data_meta.h>
#include <ATen/ops/_softmax_backward_data_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/WrapDimMinimal.h>

namespace at::native {

DEFINE_DISPATCH(softmax_backward_stub);

namespace {

void softmax_backward_meta(
    impl::MetaBase& meta, const Tensor& grad_output, const Tensor& output, int64_t dim,
    ScalarType input_dtype) {
  c10::maybe_wrap_dim(dim, grad_output.dim());
  TORCH_CHECK(
      grad_output.sizes() == output.sizes() && input_dtype == grad_output.scalar_type(),
      "softmax_backward: expected a gradient of shape ", output.sizes(), " and type ", input_dtype,
      ", but got ", grad_output.sizes(), " and ", grad_output.scalar_type());
  meta.set_output_raw_strided(0, grad_output.sizes(), {}, grad_output.options());
}

void run_softmax_backward(
    const Tensor& grad_output, const Tensor& output, int64_t dim, bool log, const Tensor& result) {
  if (grad_output.numel() == 0) {
    return;
  }
  const int64_t at = c10::maybe_wrap_dim(dim, grad_output.dim());
  int64_t outer = 1, n = 1, inner = 1;
  for (int64_t d = 0; d < grad_output.dim(); ++d) {
    (d < at ? outer : d > at ? inner : n) *= grad_output.size(d);
  }
  const Tensor grad = grad_output.contiguous();
  const Tensor y = output.contiguous();
  const Tensor out = result.is_contiguous() ? result : at::empty_like(grad);
  const bool known = softmax_backward_stub(
      grad.device().type(), grad.scalar_type(), grad.const_data_ptr(), y.const_data_ptr(),
      out.mutable_data_ptr(), outer, n, inner, log);
  TORCH_CHECK_NOT_IMPLEMENTED(
      known, "\"softmax_backward\" not implemented for '", grad.scalar_type(), "'");
  if (!out.is_same(result)) {
    at::methods::copy_(result, out);
  }
}

} // namespace

TORCH_IMPL_FUNC(softmax_backward_cpu_out)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType /*input_dtype*/,
 const Tensor& grad_input) {
  run_softmax_backward(grad_output, output, dim, false, grad_input);
}

TORCH_IMPL_FUNC(log_softmax_backward_cpu_out)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType /*input_dtype*/,
 const Tensor& out) {
  run_softmax_backward(grad_output, output, dim, true, out);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(_softmax_backward_data)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType input_dtype) {
  native::softmax_backward_meta(*this, grad_output, output, dim, input_dtype);
}

TORCH_META_FUNC(_log_softmax_backward_data)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType input_dtype) {
  native::softmax_backward_meta(*this, grad_output, output, dim, input_dtype);
}

} // namespace at::meta
