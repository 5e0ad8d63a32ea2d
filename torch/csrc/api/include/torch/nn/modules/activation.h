#pragma once

#include <torch/arg.h>
#include <torch/nn/module.h>

namespace torch::nn {

// A layer without options that calls one function.
#define TORCH_NN_FUNCTION_MODULE(Name, function)                    \
  class Name##Impl : public Module {                                \
   public:                                                          \
    Name##Impl() : Module("torch::nn::" #Name) {}                   \
    Tensor forward(const Tensor& input) { return function(input); } \
  };                                                                \
  TORCH_MODULE(Name)

TORCH_NN_FUNCTION_MODULE(Sigmoid, torch::sigmoid);
TORCH_NN_FUNCTION_MODULE(Tanh, torch::tanh);
TORCH_NN_FUNCTION_MODULE(SiLU, torch::silu);
TORCH_NN_FUNCTION_MODULE(GELU, torch::gelu);
#undef TORCH_NN_FUNCTION_MODULE

struct ReLUOptions {
  ReLUOptions(bool inplace = false) : inplace_(inplace) {} // NOLINT(google-explicit-constructor)
  TORCH_ARG(bool, inplace);
};

class ReLUImpl : public Module {
 public:
  explicit ReLUImpl(const ReLUOptions& options_ = {})
      : Module("torch::nn::ReLU"), options(options_) {}
  Tensor forward(Tensor input) {
    return options.inplace() ? torch::relu_(input) : torch::relu(input);
  }

  ReLUOptions options;
};
TORCH_MODULE(ReLU);

struct LeakyReLUOptions {
  TORCH_ARG(double, negative_slope) = 0.01;
  TORCH_ARG(bool, inplace) = false;
};

class LeakyReLUImpl : public Module {
 public:
  explicit LeakyReLUImpl(const LeakyReLUOptions& options_ = {})
      : Module("torch::nn::LeakyReLU"), options(options_) {}
  Tensor forward(Tensor input) {
    return options.inplace() ? torch::leaky_relu_(input, options.negative_slope())
                             : torch::leaky_relu(input, options.negative_slope());
  }

  LeakyReLUOptions options;
};
TORCH_MODULE(LeakyReLU);

struct SoftmaxOptions {
  SoftmaxOptions(int64_t dim) : dim_(dim) {} // NOLINT(google-explicit-constructor)
  TORCH_ARG(int64_t, dim);
};

class SoftmaxImpl : public Module {
 public:
  explicit SoftmaxImpl(int64_t dim) : SoftmaxImpl(SoftmaxOptions(dim)) {}
  explicit SoftmaxImpl(const SoftmaxOptions& options_)
      : Module("torch::nn::Softmax"), options(options_) {}
  Tensor forward(const Tensor& input) { return torch::softmax(input, options.dim()); }

  SoftmaxOptions options;
};
TORCH_MODULE(Softmax);

class LogSoftmaxImpl : public Module {
 public:
  explicit LogSoftmaxImpl(int64_t dim) : LogSoftmaxImpl(SoftmaxOptions(dim)) {}
  explicit LogSoftmaxImpl(const SoftmaxOptions& options_)
      : Module("torch::nn::LogSoftmax"), options(options_) {}
  Tensor forward(const Tensor& input) { return torch::log_softmax(input, options.dim()); }

  SoftmaxOptions options;
};
TORCH_MODULE(LogSoftmax);

} // namespace torch::nn
