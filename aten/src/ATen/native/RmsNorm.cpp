#include <ATen/TensorOperators.h>
#include <ATen/native/NormKernels.h>
#include <ATen/native/NormParameters.h>
#include <ATen/native/ReduceOpsUtils.h>

#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_backward_native.h>
#include <ATen/ops/_fused_rms_norm_native.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rms_norm_native.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <limits>

namespace at::native {

DEFINE_DISPATCH(rms_norm_stub);

namespace {

double default_eps(ScalarType dtype) {
  switch (dtype) {
    case kDouble:
    case kComplexDouble:
      return std::numeric_limits<double>::epsilon();
    case kHalf:
      return 0x1p-10;
    case kBFloat16:
      return 0x1p-7;
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

void check_rms_arguments(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight) {
  TORCH_CHECK_VALUE(
      input.dim() >= static_cast<int64_t>(shape.size()), "Input tensor must have at least ",
      shape.size(), " dimensions, but got ", input.dim());
  check_normalized_shape(input, shape, weight, {}, /*separator=*/"");
}

// The mean keeps its reduced dimensions, with size 1.
c10::DimVector row_sizes(const Tensor& input, IntArrayRef shape) {
  c10::DimVector sizes(input.sizes());
  std::fill(sizes.end() - static_cast<int64_t>(shape.size()), sizes.end(), 1);
  return sizes;
}

} // namespace

std::tuple<Tensor, Tensor> fused_rms_norm_cpu(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    std::optional<double> eps) {
  check_rms_arguments(input, shape, weight);
  const ScalarType dtype = input.scalar_type(), wide = norm_compute_dtype(dtype);
  Tensor output = at::empty(input.sizes(), input.options());
  Tensor rstd = at::empty(row_sizes(input, shape), input.options().dtype(wide));
  if (!input.is_meta()) {
    const Tensor in = input.contiguous(), w = norm_parameter(weight, wide);
    const int64_t n = c10::multiply_integers(shape);
    const bool known = rms_norm_stub(
        in.device().type(), dtype,
        RowNormJob{
            in.const_data_ptr(), data_or_null(w), /*bias=*/nullptr, output.mutable_data_ptr(),
            /*mean=*/nullptr, rstd.mutable_data_ptr(), rstd.numel(), n,
            eps.value_or(default_eps(dtype))});
    if (!known) {
      unsupported_dtype("rms_norm", dtype);
    }
  }
  return {output, rstd};
}

std::tuple<Tensor, Tensor> fused_rms_norm_backward_cpu(
    const Tensor& grad_out, const Tensor& input, IntArrayRef shape, const Tensor& rstd,
    const std::optional<Tensor>& weight, std::array<bool, 2> output_mask) {
  check_rms_arguments(input, shape, weight);
  const ScalarType dtype = input.scalar_type(), wide = norm_compute_dtype(dtype);
  Tensor grad_input = output_mask[0] ? at::empty(input.sizes(), input.options()) : Tensor();
  Tensor grad_weight =
      output_mask[1] && is_given(weight) ? at::zeros(shape, input.options().dtype(wide)) : Tensor();
  if (!input.is_meta() && input.numel() > 0) {
    const Tensor grad = grad_out.contiguous(), in = input.contiguous();
    const Tensor w = norm_parameter(weight, wide), r = norm_parameter(rstd, wide);
    const int64_t n = c10::multiply_integers(shape);
    const bool known = row_norm_backward_stub(
        in.device().type(), dtype,
        RowNormBackwardJob{
            grad.const_data_ptr(), in.const_data_ptr(), data_or_null(w), /*mean=*/nullptr,
            r.const_data_ptr(), mutable_data_or_null(grad_input), mutable_data_or_null(grad_weight),
            /*grad_bias=*/nullptr, input.numel() / n, n});
    if (!known) {
      unsupported_dtype("rms_norm_backward", dtype);
    }
  }
  return {
      grad_input,
      grad_weight.defined() ? at::methods::to(grad_weight, weight->scalar_type()) : grad_weight};
}

Tensor rms_norm(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    std::optional<double> eps) {
  if (!input.is_complex()) {
    return std::get<0>(at::_fused_rms_norm(input, shape, weight, eps));
  }
  check_rms_arguments(input, shape, weight);
  c10::DimVector dims;
  for (int64_t d = input.dim() - static_cast<int64_t>(shape.size()); d < input.dim(); ++d) {
    dims.push_back(d);
  }
  const Tensor x = input.contiguous();
  const Tensor rstd = at::rsqrt(at::add(
      at::mean(x * x, dims, /*keepdim=*/true), eps.value_or(default_eps(input.scalar_type()))));
  return is_given(weight) ? x * rstd * *weight : x * rstd;
}

} // namespace at::native
