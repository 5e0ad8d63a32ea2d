#pragma once

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/pooling.h>
#include <torch/types.h>

// torch::nn::functional: the layers as functions, with the layers' options.
namespace torch::nn::functional {

using torch::binary_cross_entropy;
using torch::binary_cross_entropy_with_logits;
using torch::gelu;
using torch::l1_loss;
using torch::mse_loss;
using torch::nll_loss;
using torch::silu;
using torch::smooth_l1_loss;

inline Tensor cross_entropy(const Tensor& input, const Tensor& target) {
  return torch::cross_entropy_loss(input, target);
}
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {}) {
  return torch::linear(input, weight, bias.defined() ? std::optional<Tensor>(bias) : std::nullopt);
}
inline Tensor relu(Tensor input, const ReLUOptions& options = {}) {
  return options.inplace() ? torch::relu_(input) : torch::relu(input);
}
inline Tensor leaky_relu(const Tensor& input, const LeakyReLUOptions& options = {}) {
  return torch::leaky_relu(input, options.negative_slope());
}
inline Tensor softmax(const Tensor& input, const SoftmaxOptions& options) {
  return torch::softmax(input, options.dim());
}
inline Tensor log_softmax(const Tensor& input, const SoftmaxOptions& options) {
  return torch::log_softmax(input, options.dim());
}
inline Tensor max_pool2d(const Tensor& input, const MaxPool2dOptions& options) {
  return MaxPool2dImpl(options).forward(input);
}
inline Tensor avg_pool2d(const Tensor& input, const AvgPool2dOptions& options) {
  return AvgPool2dImpl(options).forward(input);
}

struct DropoutFuncOptions {
  TORCH_ARG(double, p) = 0.5;
  TORCH_ARG(bool, training) = true;
};
inline Tensor dropout(const Tensor& input, const DropoutFuncOptions& options = {}) {
  return torch::dropout(input, options.p(), options.training());
}

} // namespace torch::nn::functional
