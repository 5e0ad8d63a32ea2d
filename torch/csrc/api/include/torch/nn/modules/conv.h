#pragma once

#include <torch/arg.h>
#include <torch/expanding_array.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>

#include <optional>

namespace torch::nn {

template <size_t D>
struct ConvOptions {
  ConvOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TORCH_ARG(int64_t, in_channels);
  TORCH_ARG(int64_t, out_channels);
  TORCH_ARG(ExpandingArray<D>, kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride) = 1;
  TORCH_ARG(ExpandingArray<D>, padding) = 0;
  TORCH_ARG(ExpandingArray<D>, output_padding) = 0; // only for transposed convolutions
  TORCH_ARG(ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(int64_t, groups) = 1;
  TORCH_ARG(bool, bias) = true;
};

using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using ConvTranspose2dOptions = ConvOptions<2>;

// The parameters of a convolution; `transposed` swaps the channels of its weight.
template <size_t D>
class ConvNdImpl : public Module {
 public:
  ConvNdImpl(std::string name, const ConvOptions<D>& options_, bool transposed)
      : Module(std::move(name)), options(options_) {
    int64_t first = options.out_channels(), second = options.in_channels();
    if (transposed) std::swap(first, second);
    TORCH_CHECK(
        options.groups() > 0 && first % options.groups() == 0 && second % options.groups() == 0,
        "in_channels and out_channels must be divisible by groups");
    std::vector<int64_t> sizes{first, second / options.groups()};
    for (size_t i = 0; i < D; ++i)
      sizes.push_back(options.kernel_size()[i]);
    weight = register_parameter("weight", torch::empty(sizes));
    bias = register_parameter(
        "bias", options.bias() ? torch::empty({options.out_channels()}) : Tensor());
    reset_parameters();
  }
  void reset_parameters() {
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    if (bias.defined()) {
      const auto fan_in = std::get<0>(init::_calculate_fan_in_and_fan_out(weight));
      const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
      init::uniform_(bias, -bound, bound);
    }
  }
  void pretty_print(std::ostream& stream) const override {
    stream << name() << "(" << options.in_channels() << ", " << options.out_channels()
           << ", kernel_size=" << IntArrayRef(options.kernel_size())
           << ", stride=" << IntArrayRef(options.stride()) << ")";
  }

  ConvOptions<D> options;
  Tensor weight;
  Tensor bias;

 protected:
  std::optional<Tensor> optional_bias() const {
    return bias.defined() ? std::optional<Tensor>(bias) : std::nullopt;
  }
};

class Conv1dImpl : public ConvNdImpl<1> {
 public:
  Conv1dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<1> kernel_size)
      : Conv1dImpl(Conv1dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv1dImpl(const Conv1dOptions& options_)
      : ConvNdImpl("torch::nn::Conv1d", options_, false) {}
  Tensor forward(const Tensor& input) {
    return torch::conv1d(
        input, weight, optional_bias(), options.stride(), IntArrayRef(options.padding()),
        options.dilation(), options.groups());
  }
};
TORCH_MODULE(Conv1d);

class Conv2dImpl : public ConvNdImpl<2> {
 public:
  Conv2dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<2> kernel_size)
      : Conv2dImpl(Conv2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv2dImpl(const Conv2dOptions& options_)
      : ConvNdImpl("torch::nn::Conv2d", options_, false) {}
  Tensor forward(const Tensor& input) {
    return torch::conv2d(
        input, weight, optional_bias(), options.stride(), IntArrayRef(options.padding()),
        options.dilation(), options.groups());
  }
};
TORCH_MODULE(Conv2d);

class ConvTranspose2dImpl : public ConvNdImpl<2> {
 public:
  ConvTranspose2dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<2> kernel_size)
      : ConvTranspose2dImpl(ConvTranspose2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit ConvTranspose2dImpl(const ConvTranspose2dOptions& options_)
      : ConvNdImpl("torch::nn::ConvTranspose2d", options_, true) {}
  Tensor forward(const Tensor& input) {
    return torch::conv_transpose2d(
        input, weight, optional_bias(), options.stride(), options.padding(),
        options.output_padding(), options.groups(), options.dilation());
  }
};
TORCH_MODULE(ConvTranspose2d);

} // namespace torch::nn
