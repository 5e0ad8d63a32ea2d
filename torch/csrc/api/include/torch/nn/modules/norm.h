#pragma once

#include <torch/arg.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>

#include <optional>

namespace torch::nn {

struct BatchNormOptions {
  BatchNormOptions(int64_t num_features) // NOLINT(google-explicit-constructor)
      : num_features_(num_features) {}
  TORCH_ARG(int64_t, num_features);
  TORCH_ARG(double, eps) = 1e-5;
  TORCH_ARG(double, momentum) = 0.1;
  TORCH_ARG(bool, affine) = true;
  TORCH_ARG(bool, track_running_stats) = true;
};
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;

// Normalizes each channel over the batch; `least` and `most` are the numbers of dimensions of its
// inputs.
template <int64_t least, int64_t most>
class BatchNormImplBase : public Module {
 public:
  BatchNormImplBase(std::string name, const BatchNormOptions& options_)
      : Module(std::move(name)), options(options_) {
    const int64_t features = options.num_features();
    if (options.affine()) {
      weight = register_parameter("weight", torch::ones({features}));
      bias = register_parameter("bias", torch::zeros({features}));
    }
    if (options.track_running_stats()) {
      running_mean = register_buffer("running_mean", torch::zeros({features}));
      running_var = register_buffer("running_var", torch::ones({features}));
      num_batches_tracked =
          register_buffer("num_batches_tracked", torch::zeros({}, torch::dtype(torch::kLong)));
    }
  }
  Tensor forward(const Tensor& input) {
    TORCH_CHECK(
        input.dim() >= least && input.dim() <= most, name(), " expects ", least, " to ", most,
        " dimensions, but got ", input.dim());
    if (is_training() && num_batches_tracked.defined()) num_batches_tracked.add_(1);
    return torch::batch_norm(
        input, optional(weight), optional(bias), optional(running_mean), optional(running_var),
        is_training() || !running_mean.defined(), options.momentum(), options.eps(), false);
  }
  void pretty_print(std::ostream& stream) const override {
    stream << name() << "(" << options.num_features() << ", eps=" << options.eps()
           << ", momentum=" << options.momentum() << ")";
  }

  BatchNormOptions options;
  Tensor weight, bias, running_mean, running_var, num_batches_tracked;

 private:
  static std::optional<Tensor> optional(const Tensor& tensor) {
    return tensor.defined() ? std::optional<Tensor>(tensor) : std::nullopt;
  }
};

class BatchNorm1dImpl : public BatchNormImplBase<2, 3> {
 public:
  explicit BatchNorm1dImpl(const BatchNormOptions& options_)
      : BatchNormImplBase("torch::nn::BatchNorm1d", options_) {}
};
TORCH_MODULE(BatchNorm1d);

class BatchNorm2dImpl : public BatchNormImplBase<4, 4> {
 public:
  explicit BatchNorm2dImpl(const BatchNormOptions& options_)
      : BatchNormImplBase("torch::nn::BatchNorm2d", options_) {}
};
TORCH_MODULE(BatchNorm2d);

struct LayerNormOptions {
  LayerNormOptions(std::vector<int64_t> normalized_shape) // NOLINT(google-explicit-constructor)
      : normalized_shape_(std::move(normalized_shape)) {}
  TORCH_ARG(std::vector<int64_t>, normalized_shape);
  TORCH_ARG(double, eps) = 1e-5;
  TORCH_ARG(bool, elementwise_affine) = true;
};

class LayerNormImpl : public Module {
 public:
  explicit LayerNormImpl(const LayerNormOptions& options_)
      : Module("torch::nn::LayerNorm"), options(options_) {
    if (options.elementwise_affine()) {
      weight = register_parameter("weight", torch::ones(options.normalized_shape()));
      bias = register_parameter("bias", torch::zeros(options.normalized_shape()));
    }
  }
  Tensor forward(const Tensor& input) {
    const auto given = [](const Tensor& tensor) {
      return tensor.defined() ? std::optional<Tensor>(tensor) : std::nullopt;
    };
    return torch::layer_norm(
        input, options.normalized_shape(), given(weight), given(bias), options.eps());
  }

  LayerNormOptions options;
  Tensor weight, bias;
};
TORCH_MODULE(LayerNorm);

} // namespace torch::nn
