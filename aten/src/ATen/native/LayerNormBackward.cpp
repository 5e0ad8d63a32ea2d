#include <ATen/core/Tensor.h>
#include <ATen/native/NormKernels.h>
#include <ATen/native/NormParameters.h>
#include <ATen/native/ReduceOpsUtils.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/native_layer_norm_backward_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

namespace at::native {

DEFINE_DISPATCH(row_norm_backward_stub);

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward_cpu(
    const Tensor& grad_out, const Tensor& input, IntArrayRef shape, const Tensor& mean,
    const Tensor& rstd, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    std::array<bool, 3> output_mask) {
  check_normalized_shape(input, shape, weight, bias);
  const ScalarType dtype = input.scalar_type();
  const ScalarType wide = norm_compute_dtype(dtype);
  const int64_t n = c10::multiply_integers(shape);
  const int64_t rows = n == 0 ? 0 : input.numel() / n;
  Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) {
    grad_input = at::empty(input.sizes(), input.options());
  }
  const auto parameter_grad = [&](bool wanted) {
    return wanted ? at::zeros(shape, input.options().dtype(wide)) : Tensor();
  };
  grad_weight = parameter_grad(output_mask[1] && is_given(weight));
  grad_bias = parameter_grad(output_mask[2] && is_given(bias));
  if (!input.is_meta() && rows > 0) {
    const Tensor grad = grad_out.contiguous(), in = input.contiguous();
    const Tensor w = norm_parameter(weight, wide);
    const Tensor m = norm_parameter(mean, wide), r = norm_parameter(rstd, wide);
    const bool known = row_norm_backward_stub(
        in.device().type(), dtype,
        RowNormBackwardJob{
            grad.const_data_ptr(), in.const_data_ptr(), data_or_null(w), m.const_data_ptr(),
            r.const_data_ptr(), mutable_data_or_null(grad_input), mutable_data_or_null(grad_weight),
            mutable_data_or_null(grad_bias), rows, n});
    if (!known) {
      unsupported_dtype("LayerNormBackwardKernelImpl", dtype);
    }
  }
  const auto stored = [](const Tensor& grad, const std::optional<Tensor>& parameter) {
    return grad.defined() ? at::methods::to(grad, parameter->scalar_type()) : grad;
  };
  return {grad_input, stored(grad_weight, weight), stored(grad_bias, bias)};
}

} // namespace at::native
