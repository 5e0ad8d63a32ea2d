#include <ATen/Parallel.h>
#include <ATen/native/BatchNorm.h>
#include <ATen/native/ChannelValues.h>
#include <ATen/native/NormParameters.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/_native_batch_norm_legit_native.h>
#include <ATen/ops/_native_batch_norm_legit_no_training_native.h>
#include <ATen/ops/batch_norm_update_stats_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_native.h>

#include <algorithm>
#include <cmath>

// y = (x - mean) / sqrt(var + eps) * weight + bias for each channel. Training uses the statistics
// of the batch and updates the running statistics; evaluation uses the running statistics. The
// output is normalized with the biased variance; the running variance is unbiased.

namespace at::native {

DEFINE_DISPATCH(channel_moments_stub);
DEFINE_DISPATCH(channel_scale_stub);
DEFINE_DISPATCH(channel_dots_stub);
DEFINE_DISPATCH(channel_combine_stub);

// A tensor of one column may have the strides of several formats. Other layers take it for a
// contiguous one, unless its strides say otherwise.
MemoryFormat batch_norm_format(const Tensor& input) {
  const bool images = input.dim() == 4;
  if ((images || input.dim() == 5) && !input.is_contiguous()) {
    const auto last = images ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
    return input.is_contiguous(last) ? last : input.suggest_memory_format();
  }
  return input.suggest_memory_format();
}

ChannelInput channel_input(const Tensor& input) {
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2 dimensions, but got size ", input.sizes());
  const MemoryFormat format = batch_norm_format(input);
  const int64_t batch = input.size(0), channels = input.size(1);
  const int64_t inner = batch * channels == 0 ? 0 : input.numel() / (batch * channels);
  return {
      input.contiguous(format),
      format,
      {batch, channels, inner, format != MemoryFormat::Contiguous || inner == 1}};
}

// The second-level cache of a core has room for these and for what is written.
constexpr int64_t kBlockBytes = 512 << 10;

void for_each_channel_block(
    const ChannelInput& in, int64_t arrays, c10::function_ref<void(const ChannelBlock&)> run) {
  const ChannelShape& all = in.shape;
  const int64_t threads = at::get_num_threads(), elements = std::max<int64_t>(all.count(), 1);
  const int64_t bytes = arrays * elements * static_cast<int64_t>(in.tensor.itemsize());
  const int64_t together = std::min(kBlockBytes / bytes, at::divup(all.channels, threads));
  // Larger channels leave the cache, and few are not enough for all threads: then each kernel
  // splits its own loop.
  if (all.channels_last || together == 0 || all.channels < threads) {
    return run({all, 0});
  }
  const int64_t grain = at::divup(at::internal::GRAIN_SIZE, together * elements);
  at::parallel_for(0, at::divup(all.channels, together), grain, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      ChannelBlock next{all, block * together};
      next.shape.channels = std::min(together, all.channels - next.first);
      run(next);
    }
  });
}

ScalarType batch_norm_dtype(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var) {
  for (const auto* parameter : {&weight, &bias, &running_mean, &running_var}) {
    if (is_given(*parameter)) {
      return (*parameter)->scalar_type();
    }
  }
  return input.scalar_type();
}

namespace {

using Three = std::tuple<Tensor, Tensor, Tensor>;

struct Moments {
  ChannelValues mean, deviations; // deviations are sums of squares
};

Moments no_moments(const ChannelInput& in) {
  const auto channels = static_cast<size_t>(in.shape.channels);
  return {ChannelValues(channels), ChannelValues(channels)};
}

// Sets the moments of a block of channels.
void find_moments(const ChannelInput& in, const ChannelBlock& block, Moments& m) {
  const ScalarType dtype = in.tensor.scalar_type();
  if (!channel_moments_stub(
          in.tensor.device().type(), dtype, block.shape,
          at_element(in.tensor, block.first_element()), m.mean.data() + block.first,
          m.deviations.data() + block.first)) {
    unsupported_dtype("batch_norm", dtype);
  }
}

void update_running(
    const std::optional<Tensor>& running, const ChannelValues& batch, double factor,
    double momentum) {
  if (!is_given(running)) {
    return;
  }
  const auto channels = static_cast<int64_t>(batch.size());
  TORCH_CHECK(
      running->numel() == channels, "running statistics should contain ", channels,
      " elements not ", running->numel());
  ChannelValues values = channel_values(running, channels, 0);
  for (size_t c = 0; c < values.size(); ++c) {
    values[c] = momentum * batch[c] * factor + (1 - momentum) * values[c];
  }
  store_channels(*running, values);
}

void update_running(
    const Moments& m, int64_t count, const std::optional<Tensor>& running_mean,
    const std::optional<Tensor>& running_var, double momentum) {
  update_running(running_mean, m.mean, 1, momentum);
  update_running(running_var, m.deviations, 1 / static_cast<double>(count - 1), momentum);
}

// What normalized channels are multiplied by, and what is added to them then.
struct Affine {
  ChannelValues weights, biases;
};

// Writes a block of channels of the output.
void normalize(
    const ChannelInput& in, const ChannelBlock& block, const ChannelValues& mean,
    const ChannelValues& invstd, const Affine& affine, Tensor& output) {
  ChannelValues scale(block.shape.channels), shift(block.shape.channels);
  for (int64_t c = block.first; c < block.end(); ++c) {
    const double factor = affine.weights[c] * invstd[c];
    scale[c - block.first] = factor;
    shift[c - block.first] = affine.biases[c] - mean[c] * factor;
  }
  const ScalarType dtype = in.tensor.scalar_type(), wide = norm_compute_dtype(dtype);
  const int64_t start = block.first_element();
  if (!channel_scale_stub(
          in.tensor.device().type(), dtype, block.shape, at_element(in.tensor, start),
          WideValues(scale, wide).data(), WideValues(shift, wide).data(),
          at_element(output, start))) {
    unsupported_dtype("batch_norm", dtype);
  }
}

} // namespace

Three batch_norm_cpu(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    bool training, double momentum, double eps) {
  const TensorOptions statistics =
      input.options().dtype(batch_norm_dtype(input, weight, bias, running_mean, running_var));
  if (input.is_meta()) {
    const int64_t saved = training ? input.size(1) : 0;
    return {
        at::empty_like(input, {}, batch_norm_format(input)), at::empty({saved}, statistics),
        at::empty({saved}, statistics)};
  }
  const ChannelInput in = channel_input(input);
  const int64_t channels = in.shape.channels;
  const Affine affine{channel_values(weight, channels, 1), channel_values(bias, channels, 0)};
  Tensor output = at::empty_like(in.tensor, {}, in.format);
  if (!training) {
    TORCH_CHECK(
        is_given(running_mean) && is_given(running_var),
        "running_mean and running_var must be defined in evaluation mode");
    ChannelValues invstd = channel_values(running_var, channels, 1);
    for (double& value : invstd) {
      value = inverse_std(value, eps);
    }
    normalize(in, {in.shape, 0}, channel_values(running_mean, channels, 0), invstd, affine, output);
    return {output, at::empty({0}, statistics), at::empty({0}, statistics)};
  }
  TORCH_CHECK(
      input.numel() != 0,
      "input tensor must have at least one element, but got input_sizes = ", input.sizes());
  Moments m = no_moments(in);
  ChannelValues invstd(m.mean.size());
  for_each_channel_block(in, 1, [&](const ChannelBlock& block) {
    find_moments(in, block, m);
    for (int64_t c = block.first; c < block.end(); ++c) {
      invstd[c] = inverse_std(m.deviations[c] / static_cast<double>(in.shape.count()), eps);
    }
    normalize(in, block, m.mean, invstd, affine, output);
  });
  update_running(m, in.shape.count(), running_mean, running_var, momentum);
  return {output, channel_tensor(m.mean, statistics), channel_tensor(invstd, statistics)};
}

std::tuple<Tensor&, Tensor&, Tensor&> batch_norm_cpu_out(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
    Tensor& save_invstd) {
  const auto [output, mean, invstd] =
      batch_norm_cpu(input, weight, bias, running_mean, running_var, training, momentum, eps);
  const auto give = [](Tensor& to, const Tensor& value) {
    TORCH_CHECK(
        to.scalar_type() == value.scalar_type(), "expected scalar type ", value.scalar_type(),
        " but found ", to.scalar_type());
    resize_output(to, value.sizes());
    at::methods::copy_(to, value);
  };
  give(out, output);
  give(save_mean, mean);
  give(save_invstd, invstd);
  return {out, save_mean, save_invstd};
}

Three _batch_norm_legit_cpu(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps) {
  return batch_norm_cpu(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

Three _batch_norm_legit_no_stats_cpu(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    bool training, double momentum, double eps) {
  return batch_norm_cpu(input, weight, bias, {}, {}, training, momentum, eps);
}

std::tuple<Tensor&, Tensor&, Tensor&> _batch_norm_legit_cpu_out(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps,
    Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  return batch_norm_cpu_out(
      input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean,
      save_invstd);
}

std::tuple<Tensor&, Tensor&, Tensor&> _batch_norm_legit_no_stats_cpu_out(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
    Tensor& save_invstd) {
  return batch_norm_cpu_out(
      input, weight, bias, {}, {}, training, momentum, eps, out, save_mean, save_invstd);
}

Three _batch_norm_legit_no_training(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const Tensor& running_mean, const Tensor& running_var, double momentum, double eps) {
  return at::native_batch_norm(
      input, weight, bias, running_mean, running_var, /*training=*/false, momentum, eps);
}

std::tuple<Tensor, Tensor> batch_norm_update_stats_cpu(
    const Tensor& input, const std::optional<Tensor>& running_mean,
    const std::optional<Tensor>& running_var, double momentum) {
  const TensorOptions statistics =
      input.options().dtype(batch_norm_dtype(input, {}, {}, running_mean, running_var));
  if (input.is_meta()) {
    return {at::empty({input.size(1)}, statistics), at::empty({input.size(1)}, statistics)};
  }
  const ChannelInput in = channel_input(input);
  TORCH_CHECK(
      input.numel() != 0,
      "input tensor must have at least one element, but got input_sizes = ", input.sizes());
  Moments m = no_moments(in);
  find_moments(in, {in.shape, 0}, m);
  update_running(m, in.shape.count(), running_mean, running_var, momentum);
  for (double& value : m.deviations) {
    value /= static_cast<double>(in.shape.count());
  }
  return {channel_tensor(m.mean, statistics), channel_tensor(m.deviations, statistics)};
}

} // namespace at::native
