#pragma once

#include <torch/arg.h>
#include <torch/expanding_array.h>
#include <torch/nn/module.h>

namespace torch::nn {

struct MaxPool2dOptions {
  MaxPool2dOptions(ExpandingArray<2> kernel_size) // NOLINT(google-explicit-constructor)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(ExpandingArray<2>, kernel_size);
  TORCH_ARG(ExpandingArray<2>, stride);
  TORCH_ARG(ExpandingArray<2>, padding) = 0;
  TORCH_ARG(ExpandingArray<2>, dilation) = 1;
  TORCH_ARG(bool, ceil_mode) = false;
};

class MaxPool2dImpl : public Module {
 public:
  explicit MaxPool2dImpl(ExpandingArray<2> kernel_size)
      : MaxPool2dImpl(MaxPool2dOptions(kernel_size)) {}
  explicit MaxPool2dImpl(const MaxPool2dOptions& options_)
      : Module("torch::nn::MaxPool2d"), options(options_) {}
  Tensor forward(const Tensor& input) {
    return torch::max_pool2d(
        input, options.kernel_size(), options.stride(), options.padding(), options.dilation(),
        options.ceil_mode());
  }

  MaxPool2dOptions options;
};
TORCH_MODULE(MaxPool2d);

struct AvgPool2dOptions {
  AvgPool2dOptions(ExpandingArray<2> kernel_size) // NOLINT(google-explicit-constructor)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TORCH_ARG(ExpandingArray<2>, kernel_size);
  TORCH_ARG(ExpandingArray<2>, stride);
  TORCH_ARG(ExpandingArray<2>, padding) = 0;
};

class AvgPool2dImpl : public Module {
 public:
  explicit AvgPool2dImpl(ExpandingArray<2> kernel_size)
      : AvgPool2dImpl(AvgPool2dOptions(kernel_size)) {}
  explicit AvgPool2dImpl(const AvgPool2dOptions& options_)
      : Module("torch::nn::AvgPool2d"), options(options_) {}
  Tensor forward(const Tensor& input) {
    return torch::avg_pool2d(input, options.kernel_size(), options.stride(), options.padding());
  }

  AvgPool2dOptions options;
};
TORCH_MODULE(AvgPool2d);

struct AdaptiveAvgPool2dOptions {
  AdaptiveAvgPool2dOptions(ExpandingArray<2> output_size) // NOLINT(google-explicit-constructor)
      : output_size_(output_size) {}
  TORCH_ARG(ExpandingArray<2>, output_size);
};

class AdaptiveAvgPool2dImpl : public Module {
 public:
  explicit AdaptiveAvgPool2dImpl(const AdaptiveAvgPool2dOptions& options_)
      : Module("torch::nn::AdaptiveAvgPool2d"), options(options_) {}
  Tensor forward(const Tensor& input) {
    return torch::adaptive_avg_pool2d(input, options.output_size());
  }

  AdaptiveAvgPool2dOptions options;
};
TORCH_MODULE(AdaptiveAvgPool2d);

} // namespace torch::nn
