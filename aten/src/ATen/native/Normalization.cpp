#include <ATen/TensorOperators.h>
#include <ATen/native/NormParameters.h>
#include <ATen/ops/_batch_norm_impl_index.h>
#include <ATen/ops/_batch_norm_impl_index_backward_native.h>
#include <ATen/ops/_batch_norm_impl_index_native.h>
#include <ATen/ops/_batch_norm_with_update_native.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/batch_norm_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/instance_norm_native.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/repeat.h>
#include <ATen/ops/select.h>
#include <ATen/ops/view.h>

// User-facing operators that call native_batch_norm.

namespace at::native {

namespace {

void check_features(const char* name, int64_t features, const std::optional<Tensor>& parameter) {
  TORCH_CHECK(
      !is_given(parameter) || parameter->numel() == features, name, " should contain ", features,
      " elements not ", is_given(parameter) ? parameter->numel() : 0);
}

// An empty input is returned as is, but stays connected to the parameters in the graph.
Tensor empty_batch(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias) {
  Tensor output = at::clone(input);
  if (is_given(weight)) {
    output = output * at::select(*weight, 0, 0);
  }
  return is_given(bias) ? output + at::select(*bias, 0, 0) : output;
}

} // namespace

// The integer selects the backend; 0 is the native one.
std::tuple<Tensor, Tensor, Tensor, Tensor, int64_t> _batch_norm_impl_index(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    bool training, double momentum, double eps, bool /*cudnn_enabled*/) {
  const bool flat = input.dim() == 1 && input.numel() == 0;
  const int64_t features = flat ? 0 : input.size(1);
  const Tensor reserve = at::empty({0}, input.options().dtype(kByte));
  if (input.numel() == 0) {
    const TensorOptions options = input.options();
    return {
        empty_batch(input, weight, bias), at::empty({features}, options),
        at::empty({features}, options), reserve, 0};
  }
  TORCH_CHECK(
      training || (is_given(running_mean) && is_given(running_var)),
      is_given(running_mean) ? "running_var" : "running_mean",
      " must be defined in evaluation mode");
  check_features("running_mean", features, running_mean);
  check_features("running_var", features, running_var);
  check_features("weight", features, weight);
  check_features("bias", features, bias);
  const auto [output, mean, invstd] = at::native_batch_norm(
      input, weight, bias, running_mean, running_var, training, momentum, eps);
  return {output, mean, invstd, reserve, 0};
}

std::tuple<Tensor, Tensor, Tensor> _batch_norm_impl_index_backward(
    int64_t impl_index, const Tensor& input, const Tensor& grad_output,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& running_mean,
    const std::optional<Tensor>& running_var, const std::optional<Tensor>& save_mean,
    const std::optional<Tensor>& save_var_transform, bool train, double eps,
    std::array<bool, 3> output_mask, const Tensor& /*reservedSpace*/) {
  TORCH_CHECK(
      impl_index == 0, "Unsupported impl_index in _batch_norm_impl_index_backward: ", impl_index);
  return at::native_batch_norm_backward(
      grad_output, input, weight, running_mean, running_var, save_mean, save_var_transform, train,
      eps, output_mask);
}

Tensor batch_norm(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    bool training, double momentum, double eps, bool cudnn_enabled) {
  return std::get<0>(at::_batch_norm_impl_index(
      input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled));
}

// A batch norm that always trains. The last result is memory that backends of devices keep for the
// backward pass.
std::tuple<Tensor, Tensor, Tensor, Tensor> _batch_norm_with_update(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    Tensor& running_mean, Tensor& running_var, double momentum, double eps) {
  const auto [output, mean, invstd] = at::native_batch_norm(
      input, weight, bias, running_mean, running_var, /*training=*/true, momentum, eps);
  return {output, mean, invstd, at::empty({0}, input.options().dtype(kByte))};
}

// A batch norm that treats every channel of every image as a separate channel; the running
// statistics are updated with the mean over the images.
Tensor instance_norm(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    bool use_input_stats, double momentum, double eps, bool cudnn_enabled) {
  TORCH_CHECK(
      use_input_stats || (is_given(running_mean) && is_given(running_var)),
      "Expected running_mean and running_var to be defined when use_input_stats is false");
  const int64_t batch = input.size(0), channels = input.size(1);
  const auto repeated = [&](const std::optional<Tensor>& tensor) {
    return is_given(tensor) ? std::optional<Tensor>(at::methods::repeat(*tensor, {batch}))
                            : std::nullopt;
  };
  const auto mean = repeated(running_mean), var = repeated(running_var);
  c10::DimVector sizes(input.sizes());
  sizes[1] = batch * channels;
  sizes[0] = 1;
  const Tensor output = at::batch_norm(
      at::methods::view(input.contiguous(), sizes), repeated(weight), repeated(bias), mean, var,
      use_input_stats, momentum, eps, cudnn_enabled);
  const auto give_back = [&](const std::optional<Tensor>& running,
                             const std::optional<Tensor>& all) {
    if (is_given(running) && batch != 0) {
      at::methods::copy_(
          at::detach(*running), at::mean(at::methods::view(*all, {batch, channels}), 0));
    }
  };
  give_back(running_mean, mean);
  give_back(running_var, var);
  return at::methods::view(output, input.sizes());
}

} // namespace at::native
