// convolution and conv2d: shapes and checks; Conv2d.h computes.

#include <ATen/core/Tensor.h>
#include <ATen/native/Conv2d.h>

#include <ATen/ops/conv2d_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/zeros.h>
#include <c10/util/DimVector.h>

#include <algorithm>

namespace at::native {
namespace {

// stride, padding and the like, one value for each spatial dimension.
c10::DimVector expand_parameter(IntArrayRef values, const char* name, int64_t spatial) {
  if (values.size() == 1) {
    return c10::DimVector(static_cast<size_t>(spatial), values[0]);
  }
  TORCH_CHECK(static_cast<int64_t>(values.size()) == spatial, "expected ", name,
              " to be a single integer value or a list of ", spatial,
              " values to match the convolution dimensions, but got ", name, "=", values);
  return c10::DimVector(values);
}

struct ConvParameters {
  c10::DimVector stride, padding, dilation, output_padding;
  bool transposed;
  int64_t groups;
};

ConvParameters make_parameters(IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                               bool transposed, IntArrayRef output_padding, int64_t groups,
                               int64_t spatial) {
  return {expand_parameter(stride, "stride", spatial),
          expand_parameter(padding, "padding", spatial),
          expand_parameter(dilation, "dilation", spatial),
          expand_parameter(output_padding, "output_padding", spatial), transposed, groups};
}

void check_parameters(const ConvParameters& p) {
  const auto all = [](const c10::DimVector& values, int64_t least) {
    return std::all_of(values.begin(), values.end(), [=](int64_t v) { return v >= least; });
  };
  TORCH_CHECK(all(p.padding, 0), "negative padding is not supported");
  TORCH_CHECK(all(p.output_padding, 0), "negative output_padding is not supported");
  TORCH_CHECK(all(p.stride, 1), "non-positive stride is not supported");
  TORCH_CHECK(all(p.dilation, 1), "dilation should be greater than zero, but got ",
              IntArrayRef(p.dilation));
  TORCH_CHECK(p.groups > 0, "expected groups to be greater than 0, but got groups=", p.groups);
}

void check_kernel_fits(const Tensor& input, const Tensor& weight, const ConvParameters& p) {
  c10::SmallVector<int64_t, 3> padded, kernel;
  bool fits = true;
  for (size_t i = 0; i < p.stride.size(); ++i) {
    const auto d = static_cast<int64_t>(i) + 2;
    padded.push_back(input.size(d) + 2 * p.padding[i]);
    kernel.push_back(p.dilation[i] * (weight.size(d) - 1) + 1);
    fits = fits && padded.back() >= kernel.back();
  }
  if (fits) {
    return;
  }
  std::string have, want;
  for (size_t i = 0; i < padded.size(); ++i) {
    have += (i ? " x " : "") + std::to_string(padded[i]);
    want += (i ? " x " : "") + std::to_string(kernel[i]);
  }
  TORCH_CHECK(false, "Calculated padded input size per channel: (", have, "). Kernel size: (", want,
              "). Kernel size can't be greater than actual input size");
}

void check_shapes(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const ConvParameters& p) {
  TORCH_CHECK(input.dim() == weight.dim(), "Expected ", weight.dim(), "-dimensional input for ",
              weight.dim(), "-dimensional weight ", weight.sizes(), ", but got ", input.dim(),
              "-dimensional input of size ", input.sizes(), " instead");
  TORCH_CHECK(weight.size(0) >= p.groups, "Given groups=", p.groups,
              ", expected weight to be at least ", p.groups, " at dimension 0, but got weight of ",
              "size ", weight.sizes(), " instead");
  TORCH_CHECK(weight.size(0) % p.groups == 0, "Given groups=", p.groups,
              ", expected weight to be divisible by ", p.groups,
              " at dimension 0, but got weight of size [", weight.sizes(), "] instead");
  const int64_t expected = p.transposed ? weight.size(0) : weight.size(1) * p.groups;
  TORCH_CHECK(input.size(1) == expected, "Given ", p.transposed ? "transposed=1" : "groups=",
              p.transposed ? "" : std::to_string(p.groups), ", weight of size ", weight.sizes(),
              ", expected input", input.sizes(), " to have ", expected, " channels, but got ",
              input.size(1), " channels instead");
  const int64_t outputs = p.transposed ? weight.size(1) * p.groups : weight.size(0);
  TORCH_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == outputs), "Given ",
              p.transposed ? "transposed=1, " : "", "weight of size ", weight.sizes(),
              ", expected bias to be 1-dimensional with ", outputs,
              " elements, but got bias of size ", bias.sizes(), " instead");
  if (!p.transposed) {
    check_kernel_fits(input, weight, p);
  }
}

ConvAxis axis_of(const Tensor& input, const Tensor& weight, const ConvParameters& p, size_t i) {
  const auto d = static_cast<int64_t>(i) + 2;
  ConvAxis a{input.size(d), 0, weight.size(d), p.stride[i], p.padding[i], p.dilation[i]};
  a.out = (a.in + 2 * a.pad - a.dilation * (a.kernel - 1) - 1) / a.stride + 1;
  return a;
}

bool is_half(ScalarType dtype) {
  return dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
}

// Four-dimensional input and weight, not transposed.
Tensor forward(const Tensor& input, const Tensor& weight, const Tensor& bias,
               const ConvParameters& p) {
  const ConvAxis h = axis_of(input, weight, p, 0), w = axis_of(input, weight, p, 1);
  const Tensor output = at::empty({input.size(0), weight.size(0), h.out, w.out}, input.options());
  if (output.numel() == 0 || output.is_meta()) {
    return output;
  }
  const ScalarType dtype = input.scalar_type();
  const ScalarType compute = is_half(dtype) ? ScalarType::Float : dtype;
  const Tensor x = input.to(compute).contiguous(), k = weight.to(compute).contiguous();
  const Tensor b = bias.defined() ? bias.to(compute).contiguous() : bias;
  const Tensor y = compute == dtype ? output : at::empty(output.sizes(), x.options());
  const Conv2dJob job{x.size(0), p.groups, k.size(1), k.size(0) / p.groups, h, w};
  conv2d_forward(job, x, k, b, y);
  return compute == dtype ? output : y.to(dtype);
}

// A transposed convolution is a plain one of the input spread by its stride, with the kernel
// flipped and its channels exchanged.
Tensor transposed_forward(const Tensor& input, const Tensor& weight, const Tensor& bias,
                          const ConvParameters& p) {
  c10::DimVector spread(input.sizes()), begin;
  for (size_t i = 0; i < 2; ++i) {
    const auto d = static_cast<int64_t>(i) + 2;
    const int64_t edge = p.dilation[i] * (weight.size(d) - 1) - p.padding[i];
    TORCH_CHECK(edge >= 0 && p.output_padding[i] < std::max(p.stride[i], p.dilation[i]),
                "transposed convolution: padding=", p.padding[i], " and output_padding=",
                p.output_padding[i], " do not suit a kernel of ", weight.size(d));
    begin.push_back(edge);
    spread[i + 2] = (input.size(d) - 1) * p.stride[i] + 1 + 2 * edge + p.output_padding[i];
  }
  Tensor canvas = at::zeros(spread, input.options());
  Tensor inner = canvas;
  for (size_t i = 0; i < 2; ++i) {
    const auto d = static_cast<int64_t>(i) + 2;
    inner = inner.slice(d, begin[i], begin[i] + (input.size(d) - 1) * p.stride[i] + 1, p.stride[i]);
  }
  inner.copy_(input);
  const int64_t in = weight.size(0) / p.groups, out = weight.size(1);
  const Tensor kernel = at::flip(weight, {2, 3})
                            .reshape({p.groups, in, out, weight.size(2), weight.size(3)})
                            .transpose(1, 2)
                            .reshape({p.groups * out, in, weight.size(2), weight.size(3)});
  return forward(canvas, kernel, bias, {{1, 1}, {0, 0}, p.dilation, {0, 0}, false, p.groups});
}

} // namespace

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                   IntArrayRef output_padding, int64_t groups) {
  const Tensor b = bias.has_value() ? *bias : Tensor();
  const int64_t spatial = weight.dim() - 2;
  TORCH_CHECK(spatial > 0, "weight should have at least three dimensions");
  TORCH_CHECK_NOT_IMPLEMENTED(spatial <= 2, "convolution: ", spatial,
                              " spatial dimensions are not supported");
  const ConvParameters p =
      make_parameters(stride, padding, dilation, transposed, output_padding, groups, spatial);
  check_parameters(p);
  check_shapes(input, weight, b, p);
  TORCH_CHECK(input.scalar_type() == weight.scalar_type(), "expected scalar type ",
              input.scalar_type(), " but found ", weight.scalar_type());
  if (spatial == 1) {
    const Tensor wide =
        at::convolution(input.unsqueeze(2), weight.unsqueeze(2), bias, {1, p.stride[0]},
                        {0, p.padding[0]}, {1, p.dilation[0]}, transposed,
                        {0, p.output_padding[0]}, groups);
    return wide.squeeze(2);
  }
  return transposed ? transposed_forward(input, weight, b, p) : forward(input, weight, b, p);
}

namespace {

// A single image is a batch of one.
std::pair<Tensor, bool> batched_image(const Tensor& input) {
  TORCH_CHECK(input.dim() == 3 || input.dim() == 4,
              "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: ",
              input.sizes());
  return input.dim() == 3 ? std::pair{input.unsqueeze(0), true} : std::pair{input, false};
}

} // namespace

Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  const auto [images, single] = batched_image(input);
  const Tensor output =
      at::convolution(images, weight, bias, stride, padding, dilation, false, {0, 0}, groups);
  return single ? output.squeeze(0) : output;
}

Tensor conv2d_padding(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                      IntArrayRef stride, c10::string_view padding, IntArrayRef dilation,
                      int64_t groups) {
  if (padding == "valid") {
    return native::conv2d(input, weight, bias, stride, {0, 0}, dilation, groups);
  }
  TORCH_CHECK(padding == "same", "Invalid padding string: '", padding, "'");
  const auto [images, single] = batched_image(input);
  const c10::DimVector steps = expand_parameter(stride, "stride", 2);
  const c10::DimVector gaps = expand_parameter(dilation, "dilation", 2);
  TORCH_CHECK(steps[0] == 1 && steps[1] == 1,
              "padding='same' is not supported for strided convolutions");
  // An even kernel needs one more element after than before.
  int64_t before[2], extra[2];
  for (size_t i = 0; i < 2; ++i) {
    const int64_t total = gaps[i] * (weight.size(static_cast<int64_t>(i) + 2) - 1);
    before[i] = total / 2;
    extra[i] = total - 2 * before[i];
  }
  Tensor padded = images;
  if (extra[0] + extra[1] > 0) {
    const int64_t height = images.size(2), width = images.size(3);
    padded = at::zeros({images.size(0), images.size(1), height + extra[0], width + extra[1]},
                       images.options());
    padded.narrow(2, 0, height).narrow(3, 0, width).copy_(images);
  }
  const Tensor output =
      at::convolution(padded, weight, bias, steps, before, gaps, false, {0, 0}, groups);
  return single ? output.squeeze(0) : output;
}

} // namespace at::native
