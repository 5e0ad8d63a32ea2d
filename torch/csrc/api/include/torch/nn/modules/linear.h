#pragma once

#include <torch/arg.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>

namespace torch::nn {

struct LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  TORCH_ARG(int64_t, in_features);
  TORCH_ARG(int64_t, out_features);
  TORCH_ARG(bool, bias) = true;
};

class LinearImpl : public Module {
 public:
  LinearImpl(int64_t in_features, int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options_)
      : Module("torch::nn::Linear"), options(options_) {
    weight =
        register_parameter("weight", torch::empty({options.out_features(), options.in_features()}));
    bias = register_parameter(
        "bias", options.bias() ? torch::empty({options.out_features()}) : Tensor());
    reset_parameters();
  }
  void reset_parameters() {
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    const double bound = 1 / std::sqrt(static_cast<double>(options.in_features()));
    if (bias.defined()) init::uniform_(bias, -bound, bound);
  }
  Tensor forward(const Tensor& input) { return torch::linear(input, weight, optional(bias)); }
  void pretty_print(std::ostream& stream) const override {
    stream << name() << "(in_features=" << options.in_features()
           << ", out_features=" << options.out_features() << ", bias=" << std::boolalpha
           << options.bias() << ")";
  }

  LinearOptions options;
  Tensor weight;
  Tensor bias;

 private:
  static std::optional<Tensor> optional(const Tensor& tensor) {
    return tensor.defined() ? std::optional<Tensor>(tensor) : std::nullopt;
  }
};
TORCH_MODULE(Linear);

class IdentityImpl : public Module {
 public:
  IdentityImpl() : Module("torch::nn::Identity") {}
  Tensor forward(const Tensor& input) { return input; }
};
TORCH_MODULE(Identity);

struct FlattenOptions {
  TORCH_ARG(int64_t, start_dim) = 1;
  TORCH_ARG(int64_t, end_dim) = -1;
};

class FlattenImpl : public Module {
 public:
  explicit FlattenImpl(const FlattenOptions& options_ = {})
      : Module("torch::nn::Flatten"), options(options_) {}
  Tensor forward(const Tensor& input) {
    return input.flatten(options.start_dim(), options.end_dim());
  }

  FlattenOptions options;
};
TORCH_MODULE(Flatten);

struct EmbeddingOptions {
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TORCH_ARG(int64_t, num_embeddings);
  TORCH_ARG(int64_t, embedding_dim);
  TORCH_ARG(std::optional<int64_t>, padding_idx) = std::nullopt;
};

class EmbeddingImpl : public Module {
 public:
  EmbeddingImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  explicit EmbeddingImpl(const EmbeddingOptions& options_)
      : Module("torch::nn::Embedding"), options(options_) {
    weight = register_parameter(
        "weight", torch::empty({options.num_embeddings(), options.embedding_dim()}));
    init::normal_(weight);
    if (const auto padding = options.padding_idx()) {
      init::zeros_(weight.detach()[*padding]);
    }
  }
  Tensor forward(const Tensor& indices) {
    return torch::embedding(weight, indices, options.padding_idx().value_or(-1));
  }

  EmbeddingOptions options;
  Tensor weight;
};
TORCH_MODULE(Embedding);

} // namespace torch::nn
