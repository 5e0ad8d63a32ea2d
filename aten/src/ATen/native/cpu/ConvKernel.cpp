#include <ATen/native/ConvPlan.h>
#include <ATen/native/PointwiseConv.h>
#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/Lanes.h>

namespace at::native {

namespace {

void convolve(const ConvOperands& operands) {
  if (is_tiled(operands.dtype, operands.shape)) {
    return convolve_by_tile(operands);
  }
  const ConvShape& s = operands.shape;
  const int64_t targets = (operands.adjoint ? s.in_channels : s.out_channels) / s.groups;
  const bool wide = operands.dtype == c10::ScalarType::Float ? targets >= kLanes<float>
      : operands.dtype == c10::ScalarType::Double            ? targets >= kLanes<double>
                                                             : false;
  return wide ? convolve_by_channel(operands) : convolve_by_position(operands);
}

void conv_kernel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output) {
  if (is_pointwise_product(dtype, shape)) {
    return pointwise_conv(dtype, shape, input, weight, bias, output);
  }
  convolve({dtype, shape, /*adjoint=*/false, input, weight, bias, output});
}

void conv_adjoint_kernel(
    c10::ScalarType dtype, const ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input) {
  if (is_pointwise_product(dtype, shape)) {
    return pointwise_conv_adjoint(dtype, shape, output, weight, bias, input);
  }
  convolve({dtype, shape, /*adjoint=*/true, output, weight, bias, input});
}

} // namespace

REGISTER_DISPATCH(conv_stub, &conv_kernel)
REGISTER_DISPATCH(conv_adjoint_stub, &conv_adjoint_kernel)

} // namespace at::native
