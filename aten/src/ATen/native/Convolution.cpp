#include <ATen/TensorOperators.h>
#include <ATen/native/Conv2d.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_native.h>
#include <ATen/ops/conv2d_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

namespace at::native {

DEFINE_DISPATCH(conv2d_stub);

namespace {

// One value for both dimensions, or one each.
std::array<int64_t, 2> pair(IntArrayRef values, const char* name, int64_t least) {
  TORCH_CHECK(
      values.size() == 1 || values.size() == 2, "expected ", name,
      " to be a single integer value or a list of 2 values to match the "
      "convolution dimensions, but got ",
      name, "=", values);
  const std::array<int64_t, 2> both = {values[0], values.back()};
  TORCH_CHECK(
      both[0] >= least && both[1] >= least, least == 0 ? "negative " : "non-positive ", name,
      " is not supported");
  return both;
}

int64_t out_size(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
}

void check_channels(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t groups) {
  TORCH_CHECK(groups > 0, "expected groups to be greater than 0, but got groups=", groups);
  TORCH_CHECK(
      weight.dim() == input.dim(), "Expected ", weight.dim(), "-dimensional input for ",
      weight.dim(), "-dimensional weight ", weight.sizes(), ", but got ", input.dim(),
      "-dimensional input of size ", input.sizes(), " instead");
  TORCH_CHECK(
      weight.size(0) >= groups && weight.size(0) % groups == 0, "Given groups=", groups,
      ", expected weight to be at least ", groups, " at dimension 0 and divisible by ", groups,
      ", but got weight of size ", weight.sizes(), " instead");
  TORCH_CHECK(
      input.size(1) == weight.size(1) * groups, "Given groups=", groups, ", weight of size ",
      weight.sizes(), ", expected input", input.sizes(), " to have ", weight.size(1) * groups,
      " channels, but got ", input.size(1), " channels instead");
  TORCH_CHECK(
      !bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
      "Given weight of size ", weight.sizes(), ", expected bias to be 1-dimensional with ",
      weight.size(0), " elements, but got bias of size ",
      bias.defined() ? bias.sizes() : IntArrayRef(), " instead");
  TORCH_CHECK(
      input.scalar_type() == weight.scalar_type(), "Input type (", input.scalar_type(),
      ") and weight type (", weight.scalar_type(), ") should be the same");
  TORCH_CHECK(
      !bias.defined() || bias.scalar_type() == input.scalar_type(), "Input type (",
      input.scalar_type(), ") and bias type (", bias.defined() ? bias.scalar_type() : kFloat,
      ") should be the same");
}

Conv2dShape shape_of(
    const Tensor& input, const Tensor& weight, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, int64_t groups) {
  const auto strides = pair(stride, "stride", 1);
  const auto pads = pair(padding, "padding", 0);
  const auto dilations = pair(dilation, "dilation", 1);
  Conv2dShape s{};
  s.batch = input.size(0);
  s.groups = groups;
  s.in_channels = input.size(1);
  s.out_channels = weight.size(0);
  s.in_h = input.size(2);
  s.in_w = input.size(3);
  s.kernel_h = weight.size(2);
  s.kernel_w = weight.size(3);
  s.stride_h = strides[0];
  s.stride_w = strides[1];
  s.pad_h = pads[0];
  s.pad_w = pads[1];
  s.dilation_h = dilations[0];
  s.dilation_w = dilations[1];
  const int64_t padded_h = s.in_h + 2 * s.pad_h, padded_w = s.in_w + 2 * s.pad_w;
  const int64_t window_h = s.dilation_h * (s.kernel_h - 1) + 1;
  const int64_t window_w = s.dilation_w * (s.kernel_w - 1) + 1;
  TORCH_CHECK(
      padded_h >= window_h && padded_w >= window_w, "Calculated padded input size per channel: (",
      padded_h, " x ", padded_w, "). Kernel size: (", window_h, " x ", window_w,
      "). Kernel size can't be greater than actual input size");
  s.out_h = out_size(s.in_h, s.kernel_h, s.stride_h, s.pad_h, s.dilation_h);
  s.out_w = out_size(s.in_w, s.kernel_w, s.stride_w, s.pad_w, s.dilation_w);
  return s;
}

// The result for float, double and int64 operands.
Tensor real_convolution(
    const Conv2dShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Tensor in = input.contiguous();
  const Tensor factors = weight.contiguous();
  const Tensor start = bias.defined() ? bias.contiguous() : bias;
  Tensor output = at::empty({s.batch, s.out_channels, s.out_h, s.out_w}, input.options());
  if (output.numel() == 0) {
    return output;
  }
  conv2d_stub(
      kCPU, input.scalar_type(), s, in.const_data_ptr(), factors.const_data_ptr(),
      start.defined() ? start.const_data_ptr() : nullptr, output.mutable_data_ptr());
  return output;
}

// (a + bi) * (c + di) = (a * c - b * d) + (a * d + b * c)i, with * the convolution.
Tensor complex_convolution(
    const Conv2dShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Tensor a = at::real(input), b = at::imag(input);
  const Tensor c = at::real(weight), d = at::imag(weight);
  Tensor real = real_convolution(s, a, c, {}) - real_convolution(s, b, d, {});
  Tensor imag = real_convolution(s, a, d, {}) + real_convolution(s, b, c, {});
  Tensor result = at::view_as_complex(at::stack({real, imag}, -1));
  return bias.defined() ? result + bias.reshape({1, -1, 1, 1}) : result;
}

} // namespace

Tensor convolution(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
    IntArrayRef /*output_padding*/, int64_t groups) {
  TORCH_CHECK_NOT_IMPLEMENTED(!transposed, "transposed convolutions are not supported yet");
  TORCH_CHECK_NOT_IMPLEMENTED(
      weight.dim() == 4, "convolutions over ", weight.dim() - 2,
      " dimensions are not supported yet");
  const Tensor start = bias.value_or(Tensor());
  check_channels(input, weight, start, groups);
  const Conv2dShape s = shape_of(input, weight, stride, padding, dilation, groups);
  const MemoryFormat format = input.suggest_memory_format() == MemoryFormat::ChannelsLast ||
          weight.suggest_memory_format() == MemoryFormat::ChannelsLast
      ? MemoryFormat::ChannelsLast
      : MemoryFormat::Contiguous;
  if (input.is_meta()) {
    return at::empty({s.batch, s.out_channels, s.out_h, s.out_w}, input.options(), format);
  }
  const ScalarType dtype = input.scalar_type();
  Tensor output;
  if (dtype == kFloat || dtype == kDouble) {
    output = real_convolution(s, input, weight, start);
  } else if (at::isReducedFloatingType(dtype)) {
    output = real_convolution(
                 s, input.to(kFloat), weight.to(kFloat), start.defined() ? start.to(kFloat) : start)
                 .to(dtype);
  } else if (at::isComplexType(dtype)) {
    output = complex_convolution(s, input, weight, start);
  } else {
    TORCH_CHECK_NOT_IMPLEMENTED(
        dtype != kBool && !c10::isBarebonesUnsignedType(dtype),
        "\"slow_conv2d_cpu\" not implemented for '", dtype, "'");
    // 64 bits wrap as the narrower types do once the result is cut to them.
    output = real_convolution(
                 s, input.to(kLong), weight.to(kLong), start.defined() ? start.to(kLong) : start)
                 .to(dtype);
  }
  return output.contiguous(format);
}

namespace {

// Adds the batch dimension that an unbatched input lacks.
struct Batched {
  Tensor input;
  bool added;
};
Batched batched(const Tensor& input) {
  TORCH_CHECK(
      input.dim() == 3 || input.dim() == 4,
      "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: ",
      input.sizes());
  return input.dim() == 3 ? Batched{input.unsqueeze(0), true} : Batched{input, false};
}

} // namespace

Tensor conv2d(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  const Batched in = batched(input);
  const Tensor output =
      at::convolution(in.input, weight, bias, stride, padding, dilation, false, {0, 0}, groups);
  return in.added ? output.squeeze(0) : output;
}

Tensor conv2d_padding(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, c10::string_view padding, IntArrayRef dilation, int64_t groups) {
  if (padding == "valid") {
    return native::conv2d(input, weight, bias, stride, {0, 0}, dilation, groups);
  }
  TORCH_CHECK(padding == "same", "Invalid padding string: '", std::string(padding), "'");
  for (int64_t step : stride) {
    TORCH_CHECK(step == 1, "padding='same' is not supported for strided convolutions");
  }
  TORCH_CHECK(weight.dim() == 4, "expected a 4-dimensional weight, got ", weight.sizes());
  const auto dilations = pair(dilation, "dilation", 1);
  const int64_t total_h = dilations[0] * (weight.size(2) - 1);
  const int64_t total_w = dilations[1] * (weight.size(3) - 1);
  const Batched in = batched(input);
  Tensor padded = in.input;
  if (total_h % 2 != 0 || total_w % 2 != 0) {
    // The odd row or column goes to the far side.
    c10::DimVector sizes(padded.sizes());
    sizes[2] += total_h % 2;
    sizes[3] += total_w % 2;
    Tensor wider = at::zeros(sizes, padded.options());
    wider.narrow(2, 0, padded.size(2)).narrow(3, 0, padded.size(3)).copy_(padded);
    padded = wider;
  }
  const Tensor output = at::convolution(
      padded, weight, bias, stride, {total_h / 2, total_w / 2}, dilation, false, {0, 0}, groups);
  return in.added ? output.squeeze(0) : output;
}

} // namespace at::native
