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

// Sets the sums of a block of channels.
void find_dots(
    const ChannelInput& in, const Tensor& grad, const WideValues& mean, const ChannelBlock& block,
    Dots& dots) {
  const ScalarType dtype = in.tensor.scalar_type();
  const int64_t start = block.first_element();
  if (!channel_dots_stub(
          in.tensor.device().type(), dtype, block.shape, at_element(grad, start),
          at_element(in.tensor, start), mean.data(block.first), dots.sums.data() + block.first,
          dots.products.data() + block.first)) {
    unsupported_dtype("batch_norm_backward", dtype);
  }
}

// Writes the gradient of a block of channels of the input. The statistics depend on the input if
// there are dots.
void write_grad_of_input(
    const ChannelInput& in, const Tensor& grad, const WideValues& mean, const ChannelValues& invstd,
    const ChannelValues& weights, const Dots* dots, const ChannelBlock& block, Tensor& result) {
  const auto n = static_cast<double>(in.shape.count());
  ChannelValues by_grad(block.shape.channels), by_in(by_grad.size()), shift(by_grad.size());
  for (int64_t i = 0, c = block.first; c < block.end(); ++i, ++c) {
    by_grad[i] = weights[c] * invstd[c];
    if (dots != nullptr) {
      by_in[i] = -by_grad[i] * invstd[c] * invstd[c] * dots->products[c] / n;
      shift[i] = -by_grad[i] * dots->sums[c] / n;
    }
  }
  const ScalarType dtype = in.tensor.scalar_type(), wide = norm_compute_dtype(dtype);
  const WideValues p(by_grad, wide), q(by_in, wide), r(shift, wide);
  const int64_t start = block.first_element();
  channel_combine_stub(
      in.tensor.device().type(), dtype, block.shape, at_element(grad, start),
      at_element(in.tensor, start),
      ChannelCoefficients{p.data(), q.data(), mean.data(block.first), r.data()},
      at_element(result, start));
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward_cpu(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    const std::optional<Tensor>& save_mean, const std::optional<Tensor>& save_invstd, bool train,
    double eps, std::array<bool, 3> output_mask) {
  const TensorOptions parameters =
      input.options().dtype(batch_norm_dtype(input, weight, {}, running_mean, running_var));
  Tensor grad_input, grad_weight, grad_bias;
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
    return {grad_input, grad_weight, grad_bias};
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
      value = inverse_std(value, eps);
    }
  }
  const ChannelValues weights = channel_values(weight, channels, 1);
  const WideValues centres(mean, norm_compute_dtype(in.tensor.scalar_type()));
  Dots dots{ChannelValues(mean.size()), ChannelValues(mean.size())};
  if (output_mask[0]) {
    grad_input = at::empty_like(in.tensor, {}, in.format);
  }
  for_each_channel_block(in, 2, [&](const ChannelBlock& block) {
    if (train || output_mask[1] || output_mask[2]) {
      find_dots(in, grad, centres, block, dots);
    }
    if (output_mask[0]) {
      write_grad_of_input(
          in, grad, centres, invstd, weights, train ? &dots : nullptr, block, grad_input);
    }
  });
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
  return {grad_input, grad_weight, grad_bias};
}

} // namespace at::native
