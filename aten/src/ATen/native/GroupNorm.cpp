#include <ATen/Parallel.h>
#include <ATen/native/BatchNorm.h>
#include <ATen/native/ChannelValues.h>
#include <ATen/native/GroupNorm.h>
#include <ATen/native/NormParameters.h>
#include <ATen/native/ReduceOpsUtils.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/group_norm_native.h>
#include <ATen/ops/native_group_norm.h>
#include <ATen/ops/native_group_norm_backward_native.h>
#include <ATen/ops/native_group_norm_native.h>
#include <ATen/ops/view.h>

#include <algorithm>
#include <cmath>

// Every group of channels of an image is normalized with its own mean and variance, then scaled
// with the channels' weights. The kernels treat a group, or a channel of an image, as one channel.

namespace at::native {

void check_group_norm(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    int64_t channels, int64_t groups) {
  TORCH_CHECK(groups > 0, "Expected num groups to be greater than 0, got ", groups);
  TORCH_CHECK(
      channels % groups == 0,
      "Expected number of channels in input to be divisible by num_groups, but got input of shape ",
      input.sizes(), " and num_groups=", groups);
  const auto check = [&](const char* name, const std::optional<Tensor>& parameter) {
    TORCH_CHECK(
        !is_given(parameter) || (parameter->dim() == 1 && parameter->numel() == channels),
        "Expected ", name,
        " to be a vector of size equal to the number of channels in input, but "
        "got ",
        name, " of shape ", parameter->sizes(), " and input of shape ", input.sizes());
  };
  check("weight", weight);
  check("bias", bias);
}

namespace {

struct Groups {
  int64_t images, channels, inner, groups;
  MemoryFormat format;

  bool channels_last() const { return format != MemoryFormat::Contiguous; }
  int64_t channels_each() const { return channels / groups; }
  int64_t group_size() const { return channels_each() * inner; }
  // The group of a channel, counted across all images.
  int64_t group_of(int64_t channel) const { return channel / channels_each(); }

  // Calls f(shape, first element, first channel) for all channels of all images: at once, or image
  // by image if their channels are last.
  template <typename F>
  bool by_channel(const F& f) const {
    if (!channels_last()) {
      return f(ChannelShape{1, images * channels, inner, false}, 0, 0);
    }
    bool known = true;
    for (int64_t image = 0; image < images; ++image) {
      known &=
          f(ChannelShape{1, channels, inner, true}, image * channels * inner, image * channels);
    }
    return known;
  }
};

Groups groups_of(const Tensor& input, int64_t N, int64_t C, int64_t HxW, int64_t group) {
  const bool usual = input.dim() < 2 || input.size(0) != N || input.size(1) != C;
  return {N, C, HxW, group, usual ? MemoryFormat::Contiguous : input.suggest_memory_format()};
}

// The mean of each group and the sum of the squared deviations from it, from element `start` on.
bool group_moments(
    const Tensor& in, int64_t start, const Groups& g, ChannelValues& mean, ChannelValues& squares) {
  if (!g.channels_last()) {
    return channel_moments_stub(
        in.device().type(), in.scalar_type(),
        ChannelShape{1, g.images * g.groups, g.group_size(), false}, at_element(in, start),
        mean.data(), squares.data());
  }
  ChannelValues means(static_cast<size_t>(g.images * g.channels)), each(means.size());
  const bool known = g.by_channel([&](const ChannelShape& shape, int64_t first, int64_t channel) {
    return channel_moments_stub(
        in.device().type(), in.scalar_type(), shape, at_element(in, start + first), &means[channel],
        &each[channel]);
  });
  const auto count = static_cast<double>(g.channels_each());
  for (size_t i = 0; i < means.size(); ++i) {
    mean[g.group_of(static_cast<int64_t>(i))] += means[i] / count;
  }
  for (size_t i = 0; i < means.size(); ++i) {
    const auto group = static_cast<size_t>(g.group_of(static_cast<int64_t>(i)));
    const double off = means[i] - mean[group];
    squares[group] += each[i] + static_cast<double>(g.inner) * off * off;
  }
  return known;
}

void require(bool known, const char* name, ScalarType dtype) {
  if (!known) {
    unsupported_dtype(name, dtype);
  }
}

void scale_groups(
    const Tensor& in, int64_t start, const Groups& g, const ChannelValues& mean,
    const ChannelValues& rstd, const ChannelValues& weights, const ChannelValues& biases,
    Tensor& out) {
  const auto skipped = static_cast<size_t>(g.inner == 0 ? 0 : start / g.inner);
  ChannelValues scale(static_cast<size_t>(g.images * g.channels)), shift(scale.size());
  for (size_t i = 0; i < scale.size(); ++i) {
    const auto group = static_cast<size_t>(g.group_of(static_cast<int64_t>(i)));
    const size_t c = (skipped + i) % weights.size();
    scale[i] = weights[c] * rstd[group];
    shift[i] = biases[c] - mean[group] * scale[i];
  }
  const ScalarType dtype = in.scalar_type(), wide = norm_compute_dtype(dtype);
  const WideValues scales(scale, wide), shifts(shift, wide);
  g.by_channel([&](const ChannelShape& shape, int64_t first, int64_t channel) {
    return channel_scale_stub(
        in.device().type(), dtype, shape, at_element(in, start + first), scales.data(channel),
        shifts.data(channel), at_element(out, start + first));
  });
}

// On a CPU, only so many images are normalized at once that they stay in its cache.
int64_t images_at_once(const Tensor& in, const Groups& g) {
  const int64_t images = std::max<int64_t>(1, g.images);
  if (!in.is_cpu()) {
    return images;
  }
  const int64_t bytes = (int64_t{512} << 10) * at::get_num_threads();
  const auto all = static_cast<int64_t>(std::max<size_t>(1, in.nbytes()));
  return std::clamp<int64_t>(bytes * images / all, 1, images);
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> native_group_norm(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    int64_t N, int64_t C, int64_t HxW, int64_t group, double eps) {
  check_group_norm(input, weight, bias, C, group);
  TORCH_CHECK(
      input.numel() == N * C * HxW, "Expected an input of ", N * C * HxW,
      " elements, but got one of size ", input.sizes());
  const TensorOptions statistics =
      input.options().dtype(batch_norm_dtype(input, weight, bias, {}, {}));
  const MemoryFormat format = input.suggest_memory_format();
  if (input.is_meta()) {
    return {
        at::empty_like(input, {}, format), at::empty({N, group}, statistics),
        at::empty({N, group}, statistics)};
  }
  Groups g = groups_of(input, N, C, HxW, group);
  const Tensor in = input.contiguous(g.format);
  if (!g.channels_last()) { // every group is like an image
    g = {N * group, C / group, HxW, 1, g.format};
  }
  const ChannelValues weights = channel_values(weight, C, 1), biases = channel_values(bias, C, 0);
  ChannelValues means, rstds;
  Tensor out = at::empty_like(in);
  const int64_t step = images_at_once(in, g);
  for (int64_t image = 0; image == 0 || image < g.images; image += step) {
    Groups part = g;
    part.images = std::min(step, g.images - image);
    const int64_t start = image * g.channels * HxW;
    ChannelValues mean(static_cast<size_t>(part.images * g.groups), 0), rstd(mean.size(), 0);
    require(group_moments(in, start, part, mean, rstd), "GroupNormKernelImpl", in.scalar_type());
    for (double& value : rstd) {
      value = inverse_std(value / static_cast<double>(g.group_size()), eps);
    }
    scale_groups(in, start, part, mean, rstd, weights, biases, out);
    means.insert(means.end(), mean.begin(), mean.end());
    rstds.insert(rstds.end(), rstd.begin(), rstd.end());
  }
  return {
      out.contiguous(format), at::methods::view(channel_tensor(means, statistics), {N, group}),
      at::methods::view(channel_tensor(rstds, statistics), {N, group})};
}

namespace {

// With d = x - mean, n elements per group, s and p the sums of grad and grad * d over a channel,
// and a and b the sums of weight * s and weight * p over its group:
//   grad_in = rstd * (weight * grad - a / n - d * rstd^2 * b / n).
Tensor grad_of_input(
    const Tensor& grad, const Tensor& in, const Groups& g, const ChannelValues& centre,
    const ChannelValues& rstd, const ChannelValues& weights, const ChannelValues& sums,
    const ChannelValues& dots) {
  ChannelValues a(rstd.size(), 0), b(rstd.size(), 0);
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto group = static_cast<size_t>(g.group_of(static_cast<int64_t>(i)));
    a[group] += weights[i % weights.size()] * sums[i];
    b[group] += weights[i % weights.size()] * dots[i];
  }
  const auto n = static_cast<double>(g.group_size());
  ChannelValues by_grad(sums.size()), by_in(sums.size()), shift(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto group = static_cast<size_t>(g.group_of(static_cast<int64_t>(i)));
    const double r = rstd[group];
    by_grad[i] = r * weights[i % weights.size()];
    by_in[i] = -r * r * r * b[group] / n;
    shift[i] = -r * a[group] / n;
  }
  Tensor result = at::empty_like(in);
  const ScalarType dtype = in.scalar_type(), wide = norm_compute_dtype(dtype);
  const WideValues p(by_grad, wide), q(by_in, wide), m(centre, wide), r(shift, wide);
  g.by_channel([&](const ChannelShape& shape, int64_t first, int64_t channel) {
    const ChannelCoefficients coefficients{
        p.data(channel), q.data(channel), m.data(channel), r.data(channel)};
    return channel_combine_stub(
        in.device().type(), dtype, shape, at_element(grad, first), at_element(in, first),
        coefficients, at_element(result, first));
  });
  return result;
}

// Sums a channel's values over the images.
ChannelValues over_images(const ChannelValues& values, int64_t channels) {
  ChannelValues sums(static_cast<size_t>(channels), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    sums[i % sums.size()] += values[i];
  }
  return sums;
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight, int64_t N, int64_t C, int64_t HxW, int64_t group,
    std::array<bool, 3> output_mask) {
  check_group_norm(input, weight, {}, C, group);
  const TensorOptions parameters =
      input.options().dtype(batch_norm_dtype(input, weight, {}, {}, {}));
  std::tuple<Tensor, Tensor, Tensor> grads;
  auto& [grad_input, grad_weight, grad_bias] = grads;
  if (input.is_meta()) {
    grad_input =
        output_mask[0] ? at::empty_like(input, {}, input.suggest_memory_format()) : Tensor();
    grad_weight = output_mask[1] ? at::empty({C}, parameters) : Tensor();
    grad_bias = output_mask[2] ? at::empty({C}, parameters) : Tensor();
    return grads;
  }
  const Groups g = groups_of(input, N, C, HxW, group);
  const Tensor in = input.contiguous(g.format), grad = grad_out.contiguous(g.format);
  const ScalarType dtype = in.scalar_type();
  const ChannelValues means = channel_values(mean, N * group, 0);
  const ChannelValues rstds = channel_values(rstd, N * group, 1);
  ChannelValues centre(static_cast<size_t>(N * C)), sums(centre.size()), dots(centre.size());
  for (size_t i = 0; i < centre.size(); ++i) {
    centre[i] = means[static_cast<size_t>(g.group_of(static_cast<int64_t>(i)))];
  }
  const WideValues centres(centre, norm_compute_dtype(dtype));
  const bool known = g.by_channel([&](const ChannelShape& shape, int64_t first, int64_t channel) {
    return channel_dots_stub(
        in.device().type(), dtype, shape, at_element(grad, first), at_element(in, first),
        centres.data(channel), &sums[channel], &dots[channel]);
  });
  require(known, "GroupNormBackwardKernelImpl", dtype);
  if (output_mask[0]) {
    grad_input = grad_of_input(grad, in, g, centre, rstds, channel_values(weight, C, 1), sums, dots)
                     .contiguous(input.suggest_memory_format());
  }
  if (output_mask[1]) {
    for (size_t i = 0; i < dots.size(); ++i) {
      dots[i] *= rstds[static_cast<size_t>(g.group_of(static_cast<int64_t>(i)))];
    }
    grad_weight = channel_tensor(over_images(dots, C), parameters);
  }
  if (output_mask[2]) {
    grad_bias = channel_tensor(over_images(sums, C), parameters);
  }
  return grads;
}

Tensor group_norm(
    const Tensor& input, int64_t num_groups, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, double eps, bool /*cudnn_enabled*/) {
  TORCH_CHECK(
      input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ",
      input.dim());
  const int64_t images = input.size(0), channels = input.size(1);
  check_group_norm(input, weight, bias, channels, num_groups);
  const int64_t inner = c10::multiply_integers(input.sizes().slice(2));
  return std::get<0>(
      at::native_group_norm(input, weight, bias, images, channels, inner, num_groups, eps));
}

} // namespace at::native
