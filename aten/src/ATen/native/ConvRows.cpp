#include <ATen/native/ConvPlan.h>
#include <ATen/native/ConvRows.h>
#include <ATen/native/DispatchStub.h>

#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/t.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

namespace at::native {

DEFINE_DISPATCH(depthwise_rows_stub);
DEFINE_DISPATCH(depthwise_weight_stub);
DEFINE_DISPATCH(conv_rows_stub);

using Extent = ConvShape::Extent;

namespace {

bool is_strided(const ConvShape& s) {
  return s.stride != Extent{1, 1, 1};
}

} // namespace

ConvShape reversed(const ConvShape& s) {
  ConvShape result = s;
  std::swap(result.in, result.out);
  std::swap(result.in_channels, result.out_channels);
  for (size_t d = 0; d < s.pad.size(); ++d) {
    result.pad[d] = s.dilation[d] * (s.kernel[d] - 1) - s.pad[d];
  }
  return result;
}

bool is_reversible(const ConvShape& s) {
  const Extent pad = reversed(s).pad;
  return !is_strided(s) && *std::min_element(pad.begin(), pad.end()) >= 0;
}

namespace {

// All positions of all images, with one row of channels for each.
Tensor rows_of(const Tensor& images) {
  return at::reshape(at::permute(images, {0, 2, 3, 1}), {-1, images.size(1)});
}

Tensor images_of(const Tensor& rows, int64_t batch, int64_t height, int64_t width) {
  const Tensor images = at::methods::view(rows, {batch, height, width, rows.size(1)});
  return at::permute(images, {0, 3, 1, 2});
}

Tensor matrix_of(const Tensor& weight) {
  return at::reshape(weight, {weight.size(0), weight.size(1)});
}

Tensor product(const Tensor& rows, const Tensor& matrix, const Tensor& bias) {
  return bias.defined() ? at::addmm(bias, rows, matrix) : at::mm(rows, matrix);
}

// The part of an input that the positions of the output meet.
Tensor met_by_output(const ConvShape& s, const Tensor& input) {
  Tensor met = input;
  for (const size_t d : {1, 2}) {
    met = at::slice(
        met, static_cast<int64_t>(d) + 1, 0, (s.out[d] - 1) * s.stride[d] + 1, s.stride[d]);
  }
  return met;
}

bool is_channels_last(const ConvArguments& a) {
  const ScalarType dtype = a.input.scalar_type();
  return a.input.is_cpu() && (dtype == kFloat || dtype == kDouble) && a.input.numel() > 0 &&
      a.weight.numel() > 0 && a.memory_format() == MemoryFormat::ChannelsLast;
}

// `by_tap` has the weights of all channels for one element of the kernel after another.
Tensor depthwise(
    const ConvShape& s, const Tensor& images, const Tensor& by_tap, const Tensor& bias,
    IntArrayRef sizes) {
  const Tensor from = images.contiguous(MemoryFormat::ChannelsLast);
  const Tensor weight = by_tap.contiguous();
  const Tensor shift = bias.defined() ? bias.contiguous() : bias;
  Tensor result = at::empty(sizes, images.options(), MemoryFormat::ChannelsLast);
  depthwise_rows_stub.on_host(
      images.scalar_type(), s, from.const_data_ptr(), weight.const_data_ptr(),
      shift.defined() ? shift.const_data_ptr() : nullptr, result.mutable_data_ptr());
  return result;
}

Tensor taps_of(const Tensor& weight) {
  return at::t(at::reshape(weight, {weight.size(0), -1}));
}

// `weight` is (kernel..., in_channels, out_channels).
Tensor sum_of_products(
    const ConvShape& s, const Tensor& images, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  const Tensor from = images.contiguous(MemoryFormat::ChannelsLast), by = weight.contiguous();
  const Tensor shift = bias.defined() ? bias.contiguous() : bias;
  Tensor result = at::empty(sizes, images.options(), MemoryFormat::ChannelsLast);
  conv_rows_stub.on_host(
      images.scalar_type(), s, from.const_data_ptr(), by.const_data_ptr(),
      shift.defined() ? shift.const_data_ptr() : nullptr, result.mutable_data_ptr());
  return result;
}

bool is_product_of_rows(const ConvShape& s) {
  return s.groups == 1 && volume(s.kernel) == 1 && s.pad == Extent{0, 0, 0};
}

// Images with fewer channels than a register are faster in the usual order.
bool is_depthwise(const ConvArguments& a) {
  const ConvShape& s = a.shape;
  const int64_t register_bytes = int64_t{16} << static_cast<int>(get_cpu_capability());
  return s.groups > 1 && s.groups == s.in_channels && s.groups == s.out_channels &&
      s.groups * static_cast<int64_t>(a.input.element_size()) >= register_bytes;
}

// Long rows, enough of them, and enough channels; or tiles.
bool is_sum_of_products(c10::ScalarType dtype, const ConvShape& s) {
  if (is_tiled(dtype, s)) {
    return true;
  }
  constexpr int64_t kChannels = 16, kPositions = 256, kWidth = 24;
  return s.groups == 1 && s.dilation[2] == 1 && s.out[2] >= kWidth &&
      std::min(s.in_channels, s.out_channels) >= kChannels && s.batch * volume(s.out) >= kPositions;
}

Tensor adjoint_of_rows(
    const ConvShape& s, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  const Tensor matrix = matrix_of(weight);
  if (!is_strided(s)) {
    return images_of(product(rows_of(output), matrix, bias), s.batch, s.in[1], s.in[2]);
  }
  const Tensor met = images_of(at::mm(rows_of(output), matrix), s.batch, s.out[1], s.out[2]);
  const Tensor result = at::zeros(sizes, output.options()).contiguous(MemoryFormat::ChannelsLast);
  Tensor part = met_by_output(s, result);
  at::methods::copy_(part, met);
  return bias.defined() ? at::add(result, at::reshape(bias, {-1, 1, 1})) : result;
}

Tensor weight_by_channel(
    const ConvShape& s, const Tensor& input, const Tensor& output, IntArrayRef sizes) {
  const Tensor x = input.contiguous(MemoryFormat::ChannelsLast);
  const Tensor y = output.contiguous(MemoryFormat::ChannelsLast);
  const Tensor by_tap = at::empty({volume(s.kernel), s.in_channels}, input.options());
  depthwise_weight_stub.on_host(
      input.scalar_type(), s, x.const_data_ptr(), y.const_data_ptr(), by_tap.mutable_data_ptr());
  return at::reshape(at::t(by_tap), sizes);
}

} // namespace

std::optional<Tensor> rows_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  const ConvShape& s = a.shape;
  if (!is_channels_last(a)) {
    return std::nullopt;
  }
  if (is_product_of_rows(s)) {
    const Tensor rows = rows_of(met_by_output(s, input));
    return images_of(product(rows, at::t(matrix_of(weight)), bias), s.batch, s.out[1], s.out[2]);
  }
  if (is_depthwise(a)) {
    return depthwise(s, input, taps_of(weight), bias, sizes);
  }
  if (is_sum_of_products(input.scalar_type(), s)) {
    return sum_of_products(s, input, at::permute(weight, {2, 3, 1, 0}), bias, sizes);
  }
  return std::nullopt;
}

std::optional<Tensor> rows_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  const ConvShape& s = a.shape;
  if (!is_channels_last(a)) {
    return std::nullopt;
  }
  if (is_product_of_rows(s)) {
    return adjoint_of_rows(s, output, weight, bias, sizes);
  }
  if (!is_reversible(s)) {
    return std::nullopt;
  }
  const ConvShape reverse = reversed(s);
  if (is_depthwise(a)) {
    return depthwise(reverse, output, at::flip(taps_of(weight), 0), bias, sizes);
  }
  if (is_sum_of_products(output.scalar_type(), reverse)) {
    const Tensor by = at::flip(at::permute(weight, {2, 3, 0, 1}), {0, 1});
    return sum_of_products(reverse, output, by, bias, sizes);
  }
  return std::nullopt;
}

std::optional<Tensor> rows_weight(
    const ConvArguments& a, const Tensor& input, const Tensor& output) {
  const ConvShape& s = a.shape;
  if (is_channels_last(a) && is_product_of_rows(s)) {
    const Tensor rows = rows_of(met_by_output(s, input));
    return at::reshape(at::mm(at::t(rows_of(output)), rows), a.weight.sizes());
  }
  if (is_channels_last(a) && is_depthwise(a)) {
    return weight_by_channel(s, input, output, a.weight.sizes());
  }
  return std::nullopt;
}

} // namespace at::native
