#include <ATen/native/ConvArguments.h>

#include <c10/core/DimVector.h>

namespace at::native {

c10::DimVector expand_conv_param(IntArrayRef values, const char* name, int64_t dims) {
  if (values.size() == 1) {
    return c10::DimVector(static_cast<size_t>(dims), values[0]);
  }
  TORCH_CHECK(
      static_cast<int64_t>(values.size()) == dims, "expected ", name,
      " to be a single integer value or a list of ", dims,
      " values to match the convolution dimensions, but got ", name, "=", values);
  return c10::DimVector(values);
}

namespace {

c10::DimVector at_least(IntArrayRef values, const char* name, int64_t dims, int64_t least) {
  c10::DimVector all = expand_conv_param(values, name, dims);
  for (const int64_t value : all) {
    TORCH_CHECK(
        value >= least || std::string_view(name) != "dilation",
        "dilation should be greater than zero, but got ", IntArrayRef(all));
    TORCH_CHECK(
        value >= least, least == 0 ? "negative " : "non-positive ", name, " is not supported");
  }
  return all;
}

void check_channels(const ConvArguments& a, int64_t groups) {
  const Tensor &input = a.input, &weight = a.weight, &bias = a.bias;
  TORCH_CHECK(
      weight.dim() == input.dim(), "Expected ", weight.dim(), "-dimensional input for ",
      weight.dim(), "-dimensional weight", weight.sizes(), ", but got ", input.dim(),
      "-dimensional input of size ", input.sizes(), " instead");
  TORCH_CHECK(
      weight.size(0) >= groups, "Given groups=", groups, ", expected weight to be at least ",
      groups, " at dimension 0, but got weight of size ", weight.sizes(), " instead");
  TORCH_CHECK(
      weight.size(0) % groups == 0, "Given groups=", groups,
      ", expected weight to be divisible by ", groups, " at dimension 0, but got weight of size [",
      weight.sizes(), "] instead");
  const int64_t in_channels = a.transposed ? weight.size(0) : weight.size(1) * groups;
  const int64_t out_channels = a.transposed ? weight.size(1) * groups : weight.size(0);
  TORCH_CHECK(
      input.size(1) == in_channels, "Given ", a.transposed ? "transposed=1" : "groups=",
      a.transposed ? std::string() : std::to_string(groups), ", weight of size ", weight.sizes(),
      ", expected input", input.sizes(), " to have ", in_channels, " channels, but got ",
      input.size(1), " channels instead");
  TORCH_CHECK(
      !bias.defined() || (bias.dim() == 1 && bias.size(0) == out_channels), "Given ",
      a.transposed ? "transposed=1, " : "", "weight of size ", weight.sizes(),
      ", expected bias to be 1-dimensional with ", out_channels, " elements, but got bias of size ",
      bias.defined() ? bias.sizes() : IntArrayRef(), " instead");
}

void check_dtypes(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  TORCH_CHECK(
      !bias.defined() || bias.scalar_type() == input.scalar_type(), "Input type (", input.dtype(),
      ") and bias type (", bias.defined() ? bias.dtype() : kFloat, ") should be the same");
  TORCH_CHECK(
      input.scalar_type() == weight.scalar_type(), "expected scalar type ", input.scalar_type(),
      " but found ", weight.scalar_type());
}

// Formats the last `dims` values like "(7 x 9)".
std::string product_of(const ConvShape::Extent& sizes, int64_t dims) {
  std::string text = "(";
  for (size_t d = 3 - static_cast<size_t>(dims); d < 3; ++d) {
    text += (text.size() > 1 ? " x " : "") + std::to_string(sizes[d]);
  }
  return text + ")";
}

void set_output_sizes(ConvArguments& a) {
  ConvShape& s = a.shape;
  ConvShape::Extent padded, window;
  bool fits = true;
  for (size_t d = 0; d < 3; ++d) {
    padded[d] = s.in[d] + 2 * s.pad[d];
    window[d] = s.dilation[d] * (s.kernel[d] - 1) + 1;
    fits = fits && padded[d] >= window[d];
    s.out[d] = (padded[d] - window[d]) / s.stride[d] + 1;
  }
  TORCH_CHECK(
      fits, "Calculated padded input size per channel: ", product_of(padded, a.dims),
      ". Kernel size: ", product_of(window, a.dims),
      ". Kernel size can't be greater than actual input size");
  s.in_channels = a.input.size(1);
  s.out_channels = a.weight.size(0);
}

// Checks a transposed convolution; the shape describes its adjoint.
void set_transposed_sizes(ConvArguments& a, const ConvShape::Extent& output_padding) {
  ConvShape& s = a.shape;
  s.out = s.in;
  for (size_t d = 0; d < 3; ++d) {
    TORCH_CHECK(
        output_padding[d] < s.stride[d] || output_padding[d] < s.dilation[d],
        "output padding must be smaller than either stride or dilation, but got output_padding: ",
        output_padding[d], " stride: ", s.stride[d], " dilation: ", s.dilation[d]);
    s.in[d] = (s.out[d] - 1) * s.stride[d] - 2 * s.pad[d] + s.dilation[d] * (s.kernel[d] - 1) +
        output_padding[d] + 1;
  }
  s.in_channels = a.weight.size(1) * s.groups;
  s.out_channels = a.input.size(1);
  TORCH_CHECK(
      s.in[0] > 0 && s.in[1] > 0 && s.in[2] > 0,
      "Given input size per channel: ", product_of(s.out, a.dims),
      ". Calculated output size per channel: ", product_of(s.in, a.dims),
      ". Output size is too small");
}

} // namespace

MemoryFormat ConvArguments::memory_format() const {
  if (dims == 2 &&
      (input.suggest_memory_format() == MemoryFormat::ChannelsLast ||
       weight.suggest_memory_format() == MemoryFormat::ChannelsLast)) {
    return MemoryFormat::ChannelsLast;
  }
  return MemoryFormat::Contiguous;
}

ConvArguments conv_arguments(
    const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
    IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef output_padding,
    int64_t groups) {
  ConvArguments a{weight.dim() - 2, transposed, input, weight, bias, {}, {}};
  TORCH_CHECK(a.dims >= 1, "weight should have at least three dimensions");
  TORCH_CHECK(
      a.dims <= 3, "weight should have at most five dimensions, but got weight of size ",
      weight.sizes());
  TORCH_CHECK(groups > 0, "non-positive groups is not supported");
  const auto strides = at_least(stride, "stride", a.dims, 1);
  const auto pads = at_least(padding, "padding", a.dims, 0);
  const auto dilations = at_least(dilation, "dilation", a.dims, 1);
  const auto extra = at_least(output_padding, "output_padding", a.dims, 0);
  check_channels(a, groups);
  check_dtypes(input, weight, bias);
  ConvShape& s = a.shape;
  s = {input.size(0), groups,    0,         0,         {1, 1, 1},
       {1, 1, 1},     {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  ConvShape::Extent added{};
  for (int64_t d = 0; d < a.dims; ++d) {
    const auto from = static_cast<size_t>(d), to = static_cast<size_t>(3 - a.dims + d);
    s.in[to] = input.size(d + 2);
    s.kernel[to] = weight.size(d + 2);
    s.stride[to] = strides[from];
    s.pad[to] = pads[from];
    s.dilation[to] = dilations[from];
    added[to] = extra[from];
  }
  if (transposed) {
    set_transposed_sizes(a, added);
  } else {
    set_output_sizes(a);
  }
  const ConvShape::Extent& sizes = transposed ? s.in : s.out;
  a.output_sizes = {s.batch, transposed ? s.in_channels : s.out_channels};
  a.output_sizes.append(sizes.begin() + 3 - a.dims, sizes.end());
  return a;
}

} // namespace at::native
