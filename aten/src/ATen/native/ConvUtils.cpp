#include <ATen/Context.h>
#include <ATen/native/ConvArguments.h>
#include <ATen/native/ConvUtils.h>

#include <algorithm>

namespace at::native {

namespace {

bool use_cudnn(const Tensor& input) {
  return input.is_cuda() && at::isFloatingType(input.scalar_type()) && Context::hasCuDNN() &&
      globalContext().userEnabledCuDNN();
}

} // namespace

ConvBackend select_conv_backend(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
    IntArrayRef output_padding, int64_t groups, OptionalIntArrayRef /*bias_sizes*/) {
  const ConvArguments a = conv_arguments(
      input, weight, bias.value_or(Tensor()), stride, padding, dilation, transposed, output_padding,
      groups);
  if (input.size(0) == 0 || input.size(1) == 0) {
    return ConvBackend::Empty;
  }
  if (use_cudnn(input)) {
    return transposed ? ConvBackend::CudnnTranspose : ConvBackend::Cudnn;
  }
  const bool spatial = a.dims == 3;
  if (transposed) {
    return spatial ? ConvBackend::SlowTranspose3d : ConvBackend::SlowTranspose2d;
  }
  if (std::any_of(dilation.begin(), dilation.end(), [](int64_t step) { return step != 1; })) {
    return spatial ? ConvBackend::SlowDilated3d : ConvBackend::SlowDilated2d;
  }
  return spatial ? ConvBackend::Slow3d : ConvBackend::Slow2d;
}

} // namespace at::native
