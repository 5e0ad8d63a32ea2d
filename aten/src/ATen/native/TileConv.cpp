#include <ATen/native/ConvRows.h>
#include <ATen/native/TileConv.h>
#include <ATen/native/TileUnit.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/to.h>

namespace at::native {

DEFINE_DISPATCH(tile_conv_stub);
DEFINE_DISPATCH(tile_conv_weight_stub);

namespace {

bool pays(const ConvArguments& a, const ConvShape& s, const Tensor& images) {
  constexpr int64_t kMultiplications = 1 << 15, kDepth = 8;
  const int64_t depth = s.in_channels * volume(s.kernel);
  return images.is_cpu() && images.scalar_type() == kBFloat16 && a.dims == 2 && s.groups == 1 &&
      depth >= kDepth && s.batch * volume(s.out) * s.out_channels * depth >= kMultiplications &&
      has_tile_unit();
}

// `weight` is (out_channels, kernel..., in_channels).
Tensor convolved(
    const ConvShape& s, const Tensor& images, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  const Tensor from = images.contiguous(MemoryFormat::ChannelsLast), by = weight.contiguous();
  const Tensor shift = bias.defined() ? at::methods::to(bias, kFloat).contiguous() : bias;
  Tensor result = at::empty(sizes, images.options(), MemoryFormat::ChannelsLast);
  tile_conv_stub.on_host(
      s, from.const_data_ptr(), by.const_data_ptr(),
      shift.defined() ? static_cast<const float*>(shift.const_data_ptr()) : nullptr,
      result.mutable_data_ptr());
  return result;
}

} // namespace

std::optional<Tensor> tile_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  if (!pays(a, a.shape, input)) {
    return std::nullopt;
  }
  return convolved(a.shape, input, at::permute(weight, {0, 2, 3, 1}), bias, sizes);
}

std::optional<Tensor> tile_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  if (!is_reversible(a.shape) || !pays(a, reversed(a.shape), output)) {
    return std::nullopt;
  }
  const Tensor by = at::flip(at::permute(weight, {1, 2, 3, 0}), {1, 2});
  return convolved(reversed(a.shape), output, by, bias, sizes);
}

std::optional<Tensor> tile_weight(
    const ConvArguments& a, const Tensor& input, const Tensor& output) {
  constexpr int64_t kChannels = 8; // fewer leave most of a tile empty
  const ConvShape& s = a.shape;
  if (!pays(a, s, input) || std::min(s.in_channels, s.out_channels) < kChannels) {
    return std::nullopt;
  }
  const Tensor from = input.contiguous(MemoryFormat::ChannelsLast);
  const Tensor by = output.contiguous(MemoryFormat::ChannelsLast);
  Tensor result = at::empty(a.weight.sizes(), input.options(), MemoryFormat::ChannelsLast);
  tile_conv_weight_stub.on_host(
      s, from.const_data_ptr(), by.const_data_ptr(), result.mutable_data_ptr());
  return result;
}

Tensor in_tile_order(const ConvArguments& a, const Tensor& images) {
  return pays(a, a.shape, images) ? images.contiguous(MemoryFormat::ChannelsLast) : images;
}

} // namespace at::native
