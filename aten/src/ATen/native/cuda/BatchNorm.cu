#include <ATen/native/BatchNorm.h>

#include <ATen/native/NormParameters.h>
#include <ATen/native/Resize.h>
#include <ATen/native/cuda/ChannelKernels.h>
#include <ATen/native/cuda/LaunchUtils.cuh>

#include <ATen/ops/_native_batch_norm_legit_native.h>
#include <ATen/ops/batch_norm_update_stats_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_batch_norm_backward_native.h>
#include <ATen/ops/native_batch_norm_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace at::native {
namespace {

using Three = std::tuple<Tensor, Tensor, Tensor>;

template <typename Real>
const Real* data_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<Real>() : nullptr;
}
template <typename Real>
Real* mutable_data_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<Real>() : nullptr;
}

// Calls f with a zero of the dtype of statistics.
template <typename F>
void with_wide(ScalarType wide, const F& f) {
  wide == kDouble ? f(double()) : f(float());
}

struct DeviceMoments {
  Tensor mean, deviations;
};

DeviceMoments moments_of(const ChannelInput& in, ScalarType wide) {
  const TensorOptions options = in.tensor.options().dtype(wide);
  DeviceMoments m{at::empty({in.shape.channels}, options), at::empty({in.shape.channels}, options)};
  device_channel_moments(in.tensor, 1, m.mean, m.deviations);
  return m;
}

// Replaces the sums of squares by inverse standard deviations, or with `variance` by variances, and
// updates the running statistics.
template <typename Real>
void finish_moments(
    const DeviceMoments& m, int64_t count, const Tensor& running_mean, const Tensor& running_var,
    Real rate, Real eps, bool variance) {
  const auto* means = m.mean.const_data_ptr<Real>();
  auto* deviations = m.deviations.mutable_data_ptr<Real>();
  auto* old_mean = mutable_data_of<Real>(running_mean);
  auto* old_var = mutable_data_of<Real>(running_var);
  const auto n = static_cast<Real>(count);
  for_each_index(m.mean.numel(), [=] C10_DEVICE(int64_t c) {
    if (old_mean != nullptr) {
      old_mean[c] = rate * means[c] + (Real(1) - rate) * old_mean[c];
    }
    if (old_var != nullptr) {
      old_var[c] = rate * deviations[c] / (n - Real(1)) + (Real(1) - rate) * old_var[c];
    }
    const Real biased = deviations[c] / n;
    deviations[c] = variance ? biased : Real(1) / std::sqrt(biased + eps);
  });
}

void finish_moments(
    const DeviceMoments& m, int64_t count, const std::optional<Tensor>& running_mean,
    const std::optional<Tensor>& running_var, double momentum, double eps, bool variance) {
  const ScalarType wide = m.mean.scalar_type();
  const Tensor mean = norm_parameter(running_mean, wide), var = norm_parameter(running_var, wide);
  with_wide(wide, [&](auto zero) {
    using Real = decltype(zero);
    finish_moments<Real>(
        m, count, mean, var, static_cast<Real>(momentum), static_cast<Real>(eps), variance);
  });
  for (const auto& [running, updated] : {std::pair(&running_mean, &mean), {&running_var, &var}}) {
    if (is_given(*running) && !updated->is_same(**running)) {
      at::methods::copy_(**running, *updated);
    }
  }
}

template <typename Real>
void scale_and_shift(
    const Tensor& mean, const Tensor& invstd, const Tensor& weight, const Tensor& bias,
    const Tensor& scale, const Tensor& shift) {
  const auto* means = mean.const_data_ptr<Real>();
  const auto* inverse = invstd.const_data_ptr<Real>();
  const auto* weights = data_of<Real>(weight);
  const auto* biases = data_of<Real>(bias);
  auto* scales = scale.mutable_data_ptr<Real>();
  auto* shifts = shift.mutable_data_ptr<Real>();
  for_each_index(mean.numel(), [=] C10_DEVICE(int64_t c) {
    const Real factor = (weights != nullptr ? weights[c] : Real(1)) * inverse[c];
    scales[c] = factor;
    shifts[c] = (biases != nullptr ? biases[c] : Real(0)) - means[c] * factor;
  });
}

Tensor normalized(
    const ChannelInput& in, const Tensor& mean, const Tensor& invstd,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias) {
  const ScalarType wide = mean.scalar_type();
  Tensor output = at::empty_like(in.tensor, {}, in.format);
  const Tensor scale = at::empty_like(mean), shift = at::empty_like(mean);
  with_wide(wide, [&](auto zero) {
    scale_and_shift<decltype(zero)>(
        mean, invstd, norm_parameter(weight, wide), norm_parameter(bias, wide), scale, shift);
  });
  device_channel_scale(in.shape, in.tensor, scale, shift, output);
  return output;
}

template <typename Real>
void inverse_std(const Tensor& variance, const Tensor& result, Real eps) {
  const auto* from = variance.const_data_ptr<Real>();
  auto* to = result.mutable_data_ptr<Real>();
  for_each_index(
      variance.numel(), [=] C10_DEVICE(int64_t c) { to[c] = Real(1) / std::sqrt(from[c] + eps); });
}

Tensor inverse_std(const Tensor& variance, ScalarType wide, double eps) {
  const Tensor var = norm_parameter(variance, wide);
  Tensor result = at::empty_like(var);
  with_wide(wide, [&](auto zero) {
    inverse_std<decltype(zero)>(var, result, static_cast<decltype(zero)>(eps));
  });
  return result;
}

// With `train`, the statistics depend on the input.
template <typename Real>
void backward_coefficients(
    const Tensor& invstd, const Tensor& weight, const Tensor& sums, const Tensor& dots, Real n,
    bool train, const DeviceCoefficients& k, const Tensor& of_weight) {
  const auto* inverse = invstd.const_data_ptr<Real>();
  const auto* weights = data_of<Real>(weight);
  const auto* sum = sums.const_data_ptr<Real>();
  const auto* dot = dots.const_data_ptr<Real>();
  auto* by_grad = k.by_grad.mutable_data_ptr<Real>();
  auto* by_in = k.by_in.mutable_data_ptr<Real>();
  auto* shift = k.shift.mutable_data_ptr<Real>();
  auto* grad_weight = of_weight.mutable_data_ptr<Real>();
  for_each_index(invstd.numel(), [=] C10_DEVICE(int64_t c) {
    const Real factor = (weights != nullptr ? weights[c] : Real(1)) * inverse[c];
    by_grad[c] = factor;
    by_in[c] = train ? -factor * inverse[c] * inverse[c] * dot[c] / n : Real(0);
    shift[c] = train ? -factor * sum[c] / n : Real(0);
    grad_weight[c] = dot[c] * inverse[c];
  });
}

void check_not_empty(const Tensor& input) {
  TORCH_CHECK(
      input.numel() != 0,
      "input tensor must have at least one element, but got input_sizes = ", input.sizes());
}

} // namespace

Three batch_norm_cuda(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    bool training, double momentum, double eps) {
  const ScalarType statistics = batch_norm_dtype(input, weight, bias, running_mean, running_var);
  const ScalarType wide = norm_compute_dtype(input.scalar_type());
  const ChannelInput in = channel_input(input);
  if (!training) {
    TORCH_CHECK(
        is_given(running_mean) && is_given(running_var),
        "running_mean and running_var must be defined in evaluation mode");
    const TensorOptions options = input.options().dtype(statistics);
    return {
        normalized(
            in, norm_parameter(running_mean, wide), inverse_std(*running_var, wide, eps), weight,
            bias),
        at::empty({0}, options), at::empty({0}, options)};
  }
  check_not_empty(input);
  const DeviceMoments m = moments_of(in, wide);
  finish_moments(m, in.shape.count(), running_mean, running_var, momentum, eps, false);
  return {
      normalized(in, m.mean, m.deviations, weight, bias), at::methods::to(m.mean, statistics),
      at::methods::to(m.deviations, statistics)};
}

std::tuple<Tensor&, Tensor&, Tensor&> batch_norm_cuda_out(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
    Tensor& save_invstd) {
  const auto [output, mean, invstd] =
      batch_norm_cuda(input, weight, bias, running_mean, running_var, training, momentum, eps);
  const auto give = [](Tensor& to, const Tensor& value) {
    resize_output(to, value.sizes());
    at::methods::copy_(to, value);
  };
  give(out, output);
  give(save_mean, mean);
  give(save_invstd, invstd);
  return {out, save_mean, save_invstd};
}

Three _batch_norm_legit_cuda(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps) {
  return batch_norm_cuda(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

Three _batch_norm_legit_no_stats_cuda(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    bool training, double momentum, double eps) {
  return batch_norm_cuda(input, weight, bias, {}, {}, training, momentum, eps);
}

std::tuple<Tensor&, Tensor&, Tensor&> _batch_norm_legit_cuda_out(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps,
    Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  return batch_norm_cuda_out(
      input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean,
      save_invstd);
}

std::tuple<Tensor&, Tensor&, Tensor&> _batch_norm_legit_no_stats_cuda_out(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
    Tensor& save_invstd) {
  return batch_norm_cuda_out(
      input, weight, bias, {}, {}, training, momentum, eps, out, save_mean, save_invstd);
}

std::tuple<Tensor, Tensor> batch_norm_update_stats_cuda(
    const Tensor& input, const std::optional<Tensor>& running_mean,
    const std::optional<Tensor>& running_var, double momentum) {
  const ScalarType statistics = batch_norm_dtype(input, {}, {}, running_mean, running_var);
  check_not_empty(input);
  const ChannelInput in = channel_input(input);
  const DeviceMoments m = moments_of(in, norm_compute_dtype(input.scalar_type()));
  finish_moments(m, in.shape.count(), running_mean, running_var, momentum, 0, true);
  return {at::methods::to(m.mean, statistics), at::methods::to(m.deviations, statistics)};
}

// The formulas are above batch_norm_backward_cpu.
Three batch_norm_backward_cuda(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    const std::optional<Tensor>& save_mean, const std::optional<Tensor>& save_invstd, bool train,
    double eps, std::array<bool, 3> output_mask) {
  const ScalarType statistics = batch_norm_dtype(input, weight, {}, running_mean, running_var);
  const ScalarType wide = norm_compute_dtype(input.scalar_type());
  TORCH_CHECK(
      train ? is_given(save_mean) && is_given(save_invstd)
            : is_given(running_mean) && is_given(running_var),
      "batch_norm_backward: expected the statistics of the forward pass");
  const ChannelInput in = channel_input(input);
  const Tensor grad = grad_out.contiguous(in.format);
  const Tensor mean = norm_parameter(train ? save_mean : running_mean, wide);
  const Tensor invstd =
      train ? norm_parameter(save_invstd, wide) : inverse_std(*running_var, wide, eps);
  const Tensor sums = at::zeros({in.shape.channels}, mean.options());
  const Tensor dots = at::zeros({in.shape.channels}, mean.options());
  if ((train || output_mask[1] || output_mask[2]) && input.numel() > 0) {
    device_channel_dots(in.shape, grad, in.tensor, mean, sums, dots);
  }
  DeviceCoefficients k{at::empty_like(mean), at::empty_like(mean), mean, at::empty_like(mean)};
  const Tensor of_weight = at::empty_like(mean);
  with_wide(wide, [&](auto zero) {
    backward_coefficients<decltype(zero)>(
        invstd, norm_parameter(weight, wide), sums, dots,
        static_cast<decltype(zero)>(in.shape.count()), train, k, of_weight);
  });
  Three grads;
  auto& [grad_input, grad_weight, grad_bias] = grads;
  if (output_mask[0]) {
    grad_input = at::empty_like(in.tensor, {}, in.format);
    device_channel_combine(in.shape, grad, in.tensor, k, grad_input);
  }
  if (output_mask[1]) {
    grad_weight = at::methods::to(of_weight, statistics);
  }
  if (output_mask[2]) {
    grad_bias = at::methods::to(sums, statistics);
  }
  return grads;
}

} // namespace at::native
