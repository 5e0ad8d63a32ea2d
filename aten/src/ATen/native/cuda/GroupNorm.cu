#include <ATen/native/BatchNorm.h>

#include <ATen/native/GroupNorm.h>
#include <ATen/native/NormParameters.h>
#include <ATen/native/cuda/ChannelKernels.h>
#include <ATen/native/cuda/LaunchUtils.cuh>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_group_norm_backward_native.h>
#include <ATen/ops/native_group_norm_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/view.h>

#include <cmath>

// The formulas are in native/GroupNorm.cpp. A group, or a channel of an image, is one channel of
// the kernels.

namespace at::native {
namespace {

struct Groups {
  int64_t images, channels, inner, groups;

  int64_t channels_each() const { return channels / groups; }
  int64_t elements() const { return channels_each() * inner; } // of a group
  ChannelShape by_channel() const { return {1, images * channels, inner, false}; }
};

template <typename Real>
const Real* data_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<Real>() : nullptr;
}

// Turns the sums of squared deviations into inverse standard deviations, in place, and makes the
// coefficients of each channel of each image.
template <typename Real>
void scale_and_shift(
    const Groups& g, const Tensor& mean, const Tensor& deviations, const Tensor& weight,
    const Tensor& bias, Real eps, const Tensor& scale, const Tensor& shift) {
  const auto n = static_cast<Real>(g.elements());
  const int64_t each = g.channels_each(), channels = g.channels;
  const auto* means = mean.const_data_ptr<Real>();
  auto* rstds = deviations.mutable_data_ptr<Real>();
  const auto* weights = data_of<Real>(weight);
  const auto* biases = data_of<Real>(bias);
  auto* scales = scale.mutable_data_ptr<Real>();
  auto* shifts = shift.mutable_data_ptr<Real>();
  for_each_index(mean.numel(), [=] C10_DEVICE(int64_t group) {
    const Real rstd = Real(1) / std::sqrt(rstds[group] / n + eps);
    rstds[group] = rstd;
    for (int64_t k = 0; k < each; ++k) {
      const int64_t i = group * each + k;
      const int64_t c = i % channels;
      const Real factor = (weights != nullptr ? weights[c] : Real(1)) * rstd;
      scales[i] = factor;
      shifts[i] = (biases != nullptr ? biases[c] : Real(0)) - means[group] * factor;
    }
  });
}

template <typename Real>
void spread_means(const Groups& g, const Tensor& mean, const Tensor& centre) {
  const int64_t each = g.channels_each();
  const auto* means = mean.const_data_ptr<Real>();
  auto* out = centre.mutable_data_ptr<Real>();
  for_each_index(centre.numel(), [=] C10_DEVICE(int64_t i) { out[i] = means[i / each]; });
}

template <typename Real>
void backward_coefficients(
    const Groups& g, const Tensor& rstd, const Tensor& weight, const Tensor& sums,
    const Tensor& dots, const DeviceCoefficients& coefficients) {
  const int64_t each = g.channels_each(), channels = g.channels;
  const auto n = static_cast<Real>(g.elements());
  const auto* rstds = rstd.const_data_ptr<Real>();
  const auto* weights = data_of<Real>(weight);
  const auto* sum = sums.const_data_ptr<Real>();
  const auto* dot = dots.const_data_ptr<Real>();
  auto* by_grad = coefficients.by_grad.mutable_data_ptr<Real>();
  auto* by_in = coefficients.by_in.mutable_data_ptr<Real>();
  auto* shift = coefficients.shift.mutable_data_ptr<Real>();
  for_each_index(rstd.numel(), [=] C10_DEVICE(int64_t group) {
    Real a = 0, b = 0;
    for (int64_t i = group * each; i < (group + 1) * each; ++i) {
      const Real w = weights != nullptr ? weights[i % channels] : Real(1);
      a += w * sum[i];
      b += w * dot[i];
    }
    const Real r = rstds[group];
    for (int64_t i = group * each; i < (group + 1) * each; ++i) {
      by_grad[i] = r * (weights != nullptr ? weights[i % channels] : Real(1));
      by_in[i] = -r * r * r * b / n;
      shift[i] = -r * a / n;
    }
  });
}

// Sums over the images.
template <typename Real>
void parameter_grads(
    const Groups& g, const Tensor& rstd, const Tensor& sums, const Tensor& dots,
    const Tensor& grad_weight, const Tensor& grad_bias) {
  const int64_t each = g.channels_each(), channels = g.channels, images = g.images;
  const auto* rstds = rstd.const_data_ptr<Real>();
  const auto* sum = sums.const_data_ptr<Real>();
  const auto* dot = dots.const_data_ptr<Real>();
  auto* of_weight = grad_weight.mutable_data_ptr<Real>();
  auto* of_bias = grad_bias.mutable_data_ptr<Real>();
  for_each_index(channels, [=] C10_DEVICE(int64_t c) {
    Real w = 0, b = 0;
    for (int64_t image = 0; image < images; ++image) {
      const int64_t i = image * channels + c;
      w += dot[i] * rstds[i / each];
      b += sum[i];
    }
    of_weight[c] = w;
    of_bias[c] = b;
  });
}

template <typename F>
void with_wide(ScalarType wide, const F& f) {
  wide == kDouble ? f(double()) : f(float());
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> native_group_norm_cuda(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    int64_t N, int64_t C, int64_t HxW, int64_t group, double eps) {
  check_group_norm(input, weight, bias, C, group);
  TORCH_CHECK(
      input.numel() == N * C * HxW, "Expected an input of ", N * C * HxW,
      " elements, but got one of size ", input.sizes());
  const ScalarType statistics = batch_norm_dtype(input, weight, bias, {}, {});
  const ScalarType wide = norm_compute_dtype(input.scalar_type());
  const Groups g{N, C, HxW, group};
  const Tensor in = input.contiguous();
  const TensorOptions options = input.options().dtype(wide);
  const Tensor mean = at::empty({N * group}, options), rstd = at::empty({N * group}, options);
  const Tensor scale = at::empty({N * C}, options), shift = at::empty({N * C}, options);
  Tensor out = at::empty_like(in);
  device_channel_moments(at::methods::view(in, {N * group, g.elements()}), 0, mean, rstd);
  with_wide(wide, [&](auto zero) {
    using Real = decltype(zero);
    scale_and_shift<Real>(
        g, mean, rstd, norm_parameter(weight, wide), norm_parameter(bias, wide),
        static_cast<Real>(eps), scale, shift);
  });
  device_channel_scale(g.by_channel(), in, scale, shift, out);
  return {
      out.contiguous(input.suggest_memory_format()),
      at::methods::view(at::methods::to(mean, statistics), {N, group}),
      at::methods::view(at::methods::to(rstd, statistics), {N, group})};
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward_cuda(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight, int64_t N, int64_t C, int64_t HxW, int64_t group,
    std::array<bool, 3> output_mask) {
  check_group_norm(input, weight, {}, C, group);
  const ScalarType statistics = batch_norm_dtype(input, weight, {}, {}, {});
  const ScalarType wide = norm_compute_dtype(input.scalar_type());
  const Groups g{N, C, HxW, group};
  const Tensor in = input.contiguous(), grad = grad_out.contiguous();
  const TensorOptions options = input.options().dtype(wide);
  const auto make = [&](int64_t count) { return at::empty({count}, options); };
  const Tensor sums = make(N * C), dots = make(N * C), of_weight = make(C), of_bias = make(C);
  const DeviceCoefficients k{make(N * C), make(N * C), make(N * C), make(N * C)};
  const Tensor rstds = norm_parameter(rstd, wide);
  with_wide(wide, [&](auto zero) {
    using Real = decltype(zero);
    spread_means<Real>(g, norm_parameter(mean, wide), k.centre);
    device_channel_dots(g.by_channel(), grad, in, k.centre, sums, dots);
    backward_coefficients<Real>(g, rstds, norm_parameter(weight, wide), sums, dots, k);
    parameter_grads<Real>(g, rstds, sums, dots, of_weight, of_bias);
  });
  std::tuple<Tensor, Tensor, Tensor> grads;
  auto& [grad_input, grad_weight, grad_bias] = grads;
  if (output_mask[0]) {
    const Tensor result = at::empty_like(in);
    device_channel_combine(g.by_channel(), grad, in, k, result);
    grad_input = result.contiguous(input.suggest_memory_format());
  }
  if (output_mask[1]) {
    grad_weight = at::methods::to(of_weight, statistics);
  }
  if (output_mask[2]) {
    grad_bias = at::methods::to(of_bias, statistics);
  }
  return grads;
}

} // namespace at::native
