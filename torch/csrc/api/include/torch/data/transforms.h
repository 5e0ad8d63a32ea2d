#pragma once

#include <torch/data/datasets/base.h>

namespace torch::data::transforms {

// The examples of a batch as one example, whose tensors have the batch as their first dimension.
template <typename T = Example<>>
struct Stack {
  T operator()(const std::vector<T>& examples) const {
    std::vector<Tensor> data, targets;
    for (const auto& example : examples) {
      data.push_back(example.data);
      targets.push_back(example.target);
    }
    return {torch::stack(data), torch::stack(targets)};
  }
};

// Applies a function to the data of every example.
template <typename Function>
class Lambda {
 public:
  explicit Lambda(Function function) : function_(std::move(function)) {}
  std::vector<Example<>> operator()(std::vector<Example<>> examples) const {
    for (auto& example : examples)
      example = function_(std::move(example));
    return examples;
  }

 private:
  Function function_;
};

// (data - mean) / stddev, where a mean or deviation with several values has one for each channel.
template <typename Target = Tensor>
class Normalize {
 public:
  Normalize(ArrayRef<double> mean, ArrayRef<double> stddev)
      : mean_(channels(mean)), stddev_(channels(stddev)) {}
  std::vector<Example<Tensor, Target>> operator()(
      std::vector<Example<Tensor, Target>> examples) const {
    for (auto& example : examples)
      example.data = example.data.sub(mean_).div_(stddev_);
    return examples;
  }

 private:
  static Tensor channels(ArrayRef<double> values) {
    Tensor result = torch::empty({static_cast<int64_t>(values.size()), 1, 1});
    for (size_t i = 0; i < values.size(); ++i)
      result[static_cast<int64_t>(i)].fill_(values[i]);
    return result;
  }
  Tensor mean_, stddev_;
};

} // namespace torch::data::transforms
