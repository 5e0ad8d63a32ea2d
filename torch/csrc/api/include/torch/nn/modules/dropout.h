#pragma once

#include <torch/arg.h>
#include <torch/nn/module.h>

namespace torch::nn {

struct DropoutOptions {
  DropoutOptions(double p = 0.5) : p_(p) {} // NOLINT(google-explicit-constructor)
  TORCH_ARG(double, p);
};
using Dropout2dOptions = DropoutOptions;

class DropoutImpl : public Module {
 public:
  explicit DropoutImpl(const DropoutOptions& options_ = {})
      : Module("torch::nn::Dropout"), options(options_) {}
  Tensor forward(const Tensor& input) { return torch::dropout(input, options.p(), is_training()); }

  DropoutOptions options;
};
TORCH_MODULE(Dropout);

// Zeroes whole channels.
class Dropout2dImpl : public Module {
 public:
  explicit Dropout2dImpl(const DropoutOptions& options_ = {})
      : Module("torch::nn::Dropout2d"), options(options_) {}
  Tensor forward(const Tensor& input) {
    return torch::feature_dropout(input, options.p(), is_training());
  }

  DropoutOptions options;
};
TORCH_MODULE(Dropout2d);

} // namespace torch::nn
