// Gradients of the normalizations. The kernels' gradients cannot be differentiated again. If that
// is needed (GradMode is on in a backward pass that creates a graph), the same formulas are
// computed with differentiable operators, and the statistics as functions of the input.

#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/ops/_fused_rms_norm_backward.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/native_group_norm_backward.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <c10/core/GradMode.h>

#include <numeric>

namespace torch::autograd::generated::details {

namespace {

using Gradients = std::tuple<Tensor, Tensor, Tensor>;

c10::DimVector dims_between(int64_t begin, int64_t end) {
  c10::DimVector dims(static_cast<size_t>(std::max<int64_t>(0, end - begin)));
  std::iota(dims.begin(), dims.end(), begin);
  return dims;
}

Tensor summed(const Tensor& tensor, const c10::DimVector& dims) {
  return dims.empty() ? tensor : at::sum(tensor, dims);
}

// z = (x - mean) * rstd over `dims`.
struct Standardized {
  Tensor z, rstd;
};

// `saved_rstd` is the kernel's 1 / sqrt(var + eps), from which eps is recovered.
Standardized standardized(
    const Tensor& x, const c10::DimVector& dims, const Tensor& saved_rstd, bool centred) {
  const Tensor d = centred ? x - at::mean(x, dims, /*keepdim=*/true) : x;
  const Tensor var = at::mean(d * d, dims, /*keepdim=*/true);
  const Tensor eps = (at::pow(at::detach(saved_rstd), -2) - at::detach(var));
  const Tensor rstd = at::rsqrt(var + eps);
  return {d * rstd, rstd};
}

// The gradient of x, given that of z.
Tensor standardized_backward(
    const Tensor& grad, const Standardized& s, const c10::DimVector& dims, bool centred) {
  const Tensor along = s.z * at::mean(grad * s.z, dims, /*keepdim=*/true);
  const Tensor rest = centred ? grad - at::mean(grad, dims, /*keepdim=*/true) : grad;
  return s.rstd * (rest - along);
}

Gradients row_norm_backward(
    const Tensor& grad, const Tensor& input, int64_t normalized, const Tensor& weight,
    const Tensor& rstd, bool centred, std::array<bool, 3> wanted) {
  const auto rows = dims_between(input.dim() - normalized, input.dim());
  const auto outer = dims_between(0, input.dim() - normalized);
  const Standardized s = standardized(input, rows, rstd, centred);
  Gradients result;
  if (wanted[0]) {
    const Tensor g = weight.defined() ? grad * weight : grad;
    std::get<0>(result) = standardized_backward(g, s, rows, centred);
  }
  if (wanted[1] && weight.defined()) {
    std::get<1>(result) = summed(grad * s.z, outer);
  }
  if (wanted[2]) {
    std::get<2>(result) = summed(grad, outer);
  }
  return result;
}

// Reshapes (C) to (1, C, 1...), to broadcast with a tensor of `dims` dimensions.
Tensor along_channels(const Tensor& values, int64_t dims) {
  c10::DimVector sizes(static_cast<size_t>(dims), 1);
  sizes[1] = -1;
  return at::reshape(values, sizes);
}

} // namespace

Gradients layer_norm_backward(
    const Tensor& grad, const Tensor& input, IntArrayRef normalized_shape, const Tensor& mean,
    const Tensor& rstd, const Tensor& weight, const Tensor& bias, std::array<bool, 3> wanted) {
  if (!grad.defined()) {
    return {};
  }
  if (!c10::GradMode::is_enabled()) {
    return at::native_layer_norm_backward(
        grad, input, normalized_shape, mean, rstd, weight, bias, wanted);
  }
  const auto normalized = static_cast<int64_t>(normalized_shape.size());
  return row_norm_backward(grad, input, normalized, weight, rstd, /*centred=*/true, wanted);
}

std::tuple<Tensor, Tensor> rms_norm_backward(
    const Tensor& grad, const Tensor& input, IntArrayRef normalized_shape, const Tensor& rstd,
    const Tensor& weight, std::array<bool, 2> wanted) {
  if (!grad.defined()) {
    return {};
  }
  if (!c10::GradMode::is_enabled()) {
    return at::_fused_rms_norm_backward(grad, input, normalized_shape, rstd, weight, wanted);
  }
  const auto normalized = static_cast<int64_t>(normalized_shape.size());
  const auto [of_input, of_weight, none] = row_norm_backward(
      grad, input, normalized, weight, rstd, /*centred=*/false, {wanted[0], wanted[1], false});
  return {of_input, of_weight};
}

Gradients batch_norm_backward(
    const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& running_mean,
    const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool training,
    double eps, std::array<bool, 3> wanted) {
  if (!grad.defined()) {
    return {};
  }
  if (!c10::GradMode::is_enabled()) {
    return at::native_batch_norm_backward(
        grad, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps,
        wanted);
  }
  auto dims = dims_between(1, input.dim());
  dims[0] = 0; // all dimensions but the channels
  Standardized s;
  if (training) {
    s = standardized(input, dims, along_channels(save_invstd, input.dim()), /*centred=*/true);
  } else {
    s.rstd = along_channels(at::rsqrt(running_var + eps), input.dim());
    s.z = (input - along_channels(running_mean, input.dim())) * s.rstd;
  }
  Gradients result;
  if (wanted[0]) {
    const Tensor g = weight.defined() ? grad * along_channels(weight, input.dim()) : grad;
    std::get<0>(result) =
        training ? standardized_backward(g, s, dims, /*centred=*/true) : g * s.rstd;
  }
  if (wanted[1] && weight.defined()) {
    std::get<1>(result) = summed(grad * s.z, dims);
  }
  if (wanted[2]) {
    std::get<2>(result) = summed(grad, dims);
  }
  return result;
}

Gradients group_norm_backward(
    const Tensor& grad, const Tensor& grad_mean, const Tensor& grad_rstd, const Tensor& input,
    const Tensor& mean, const Tensor& rstd, const Tensor& weight, int64_t N, int64_t C, int64_t HxW,
    int64_t group, double /*eps*/, std::array<bool, 3> wanted) {
  const bool of_output_only = !grad_mean.defined() && !grad_rstd.defined();
  if (of_output_only && !grad.defined()) {
    return {};
  }
  if (of_output_only && !c10::GradMode::is_enabled()) {
    return at::native_group_norm_backward(
        grad, input, mean, rstd, weight, N, C, HxW, group, wanted);
  }
  const c10::DimVector of_group = {2};
  const Standardized s = standardized(
      at::reshape(input, {N, group, C / group * HxW}), of_group, at::unsqueeze(rstd, 2),
      /*centred=*/true);
  const auto n = static_cast<double>(s.z.size(2));
  Gradients result;
  auto& [of_input, of_weight, of_bias] = result;
  const auto add = [](Tensor& sum, const Tensor& term) { sum = sum.defined() ? sum + term : term; };
  if (grad.defined()) {
    const Tensor by_channel = at::reshape(grad, {N, C, HxW});
    if (wanted[0]) {
      const Tensor g = weight.defined() ? by_channel * along_channels(weight, 3) : by_channel;
      of_input = standardized_backward(at::reshape(g, s.z.sizes()), s, of_group, /*centred=*/true);
    }
    if (wanted[1] && weight.defined()) {
      of_weight = at::sum(by_channel * at::reshape(s.z, {N, C, HxW}), {0, 2});
    }
    if (wanted[2]) {
      of_bias = at::sum(by_channel, {0, 2});
    }
  }
  if (wanted[0] && grad_mean.defined()) {
    add(of_input, at::methods::expand(at::unsqueeze(grad_mean, 2) / n, s.z.sizes()));
  }
  if (wanted[0] && grad_rstd.defined()) {
    add(of_input, at::unsqueeze(grad_rstd, 2) * s.rstd * s.rstd * s.z / -n);
  }
  if (of_input.defined()) {
    of_input = at::reshape(of_input, input.sizes());
  }
  return result;
}

} // namespace torch::autograd::generated::details
