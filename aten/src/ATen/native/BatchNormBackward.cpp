#include <ATen/native/BatchNorm.h>
#include <ATen/native/ChannelValues.h>
#include <ATen/native/NormParameters.h>
#include <ATen/native/ReduceOpsUtils.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_batch_norm_backward_native.h>

#include <cmath>

// With d = x - mean, s = invstd, n elements per channel and sums over the channel:
//   grad_bias = sum(grad), grad_weight = sum(grad * d) * s,
//   grad_in = weight * s * (grad - sum(grad) / n - d * s^2 * sum(grad * d) / n) in training,
//   grad_in = weight * s * grad in evaluation, where the statistics do not depend on x.

namespace at::native {

namespace {

struct Dots {
  ChannelValues sums, products; // sums of grad, and of grad * d
};

Dots dots_of(const ChannelInput& in, const Tensor& grad, const ChannelValues& mean) {
  const auto channels = static_cast<size_t>(in.shape.channels);
  Dots dots{ChannelValues(channels), ChannelValues(channels)};
  const ScalarType dtype = in.tensor.scalar_type();
  if (!channel_dots_stub(
          in.tensor.device().type(), dtype, in.shape, grad.const_data_ptr(),
          in.tensor.const_data_ptr(), WideValues(mean, norm_compute_dtype(dtype)).data(),
          dots.sums.data(), dots.products.data())) {
    unsupported_dtype("batch_norm_backward", dtype);
  }
  return dots;
}

Tensor grad_of_input(
    const ChannelInput& in, const Tensor& grad, const ChannelValues& mean,
    const ChannelValues& invstd, const std::optional<Tensor>& weight, const Dots* dots) {
  Tensor result = at::empty_like(in.tensor, {}, in.format);
  const auto n = static_cast<double>(in.shape.count());
  ChannelValues by_grad = channel_values(weight, in.shape.channels, 1);
  ChannelValues by_in(by_grad.size(), 0), shift(by_grad.size(), 0);
  for (size_t c = 0; c < by_grad.size(); ++c) {
    by_grad[c] *= invstd[c];
    if (dots != nullptr) {
      by_in[c] = -by_grad[c] * invstd[c] * invstd[c] * dots->products[c] / n;
      shift[c] = -by_grad[c] * dots->sums[c] / n;
    }
  }
  const ScalarType dtype = in.tensor.scalar_type(), wide = norm_compute_dtype(dtype);
  const WideValues p(by_grad, wide), q(by_in, wide), m(mean, wide), r(shift, wide);
  channel_combine_stub(
      in.tensor.device().type(), dtype, in.shape, grad.const_data_ptr(), in.tensor.const_data_ptr(),
      ChannelCoefficients{p.data(), q.data(), m.data(), r.data()}, result.mutable_data_ptr());
  return result;
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward_cpu(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    const std::optional<Tensor>& save_mean, const std::optional<Tensor>& save_invstd, bool train,
    double eps, std::array<bool, 3> output_mask) {
  const TensorOptions parameters =
      input.options().dtype(batch_norm_dtype(input, weight, {}, running_mean, running_var));
  std::tuple<Tensor, Tensor, Tensor> grads;
  auto& [grad_input, grad_weight, grad_bias] = grads;
  if (input.is_meta()) {
    if (output_mask[0]) {
      grad_input = at::empty_like(input, {}, batch_norm_format(input));
    }
    for (auto [wanted, grad] :
         {std::pair(output_mask[1], &grad_weight), {output_mask[2], &grad_bias}}) {
      if (wanted) {
        *grad = at::empty({input.size(1)}, parameters);
      }
    }
    return grads;
  }
  const ChannelInput in = channel_input(input);
  const Tensor grad = grad_out.contiguous(in.format);
  const int64_t channels = in.shape.channels;
  TORCH_CHECK(
      train ? is_given(save_mean) && is_given(save_invstd)
            : is_given(running_mean) && is_given(running_var),
      "batch_norm_backward: expected the statistics of the forward pass");
  const ChannelValues mean = channel_values(train ? save_mean : running_mean, channels, 0);
  ChannelValues invstd = channel_values(train ? save_invstd : running_var, channels, 1);
  if (!train) {
    for (double& value : invstd) {
      value = 1 / std::sqrt(value + eps);
    }
  }
  Dots dots;
  if (train || output_mask[1] || output_mask[2]) {
    dots = dots_of(in, grad, mean);
  }
  if (output_mask[0]) {
    grad_input = grad_of_input(in, grad, mean, invstd, weight, train ? &dots : nullptr);
  }
  if (output_mask[1]) {
    ChannelValues of_weight = dots.products;
    for (size_t c = 0; c < of_weight.size(); ++c) {
      of_weight[c] *= invstd[c];
    }
    grad_weight = channel_tensor(of_weight, parameters);
  }
  if (output_mask[2]) {
    grad_bias = channel_tensor(dots.sums, parameters);
  }
  return grads;
}

} // namespace at::native
