#pragma once

#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace torch::data::samplers {

// The order in which examples are taken. `next` returns the indices of the next batch, or nothing
// at the end.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual void reset() = 0;
  virtual std::optional<std::vector<size_t>> next(size_t batch_size) = 0;
};

// Each example once, in the order of the data set.
class SequentialSampler : public Sampler {
 public:
  explicit SequentialSampler(size_t size) : order_(size) {
    std::iota(order_.begin(), order_.end(), size_t(0));
  }
  void reset() override { place_ = 0; }
  std::optional<std::vector<size_t>> next(size_t batch_size) override {
    if (place_ == order_.size()) return std::nullopt;
    const size_t end = std::min(place_ + batch_size, order_.size());
    std::vector<size_t> batch(
        order_.begin() + static_cast<ptrdiff_t>(place_),
        order_.begin() + static_cast<ptrdiff_t>(end));
    place_ = end;
    return batch;
  }

 protected:
  std::vector<size_t> order_;

 private:
  size_t place_ = 0;
};

// Each example once, in an order that torch::randperm draws anew at each reset.
class RandomSampler : public SequentialSampler {
 public:
  explicit RandomSampler(size_t size) : SequentialSampler(size) { shuffle(); }
  void reset() override {
    SequentialSampler::reset();
    shuffle();
  }

 private:
  void shuffle() {
    const Tensor permutation = torch::randperm(static_cast<int64_t>(order_.size()), torch::kInt64);
    const auto* first = permutation.const_data_ptr<int64_t>();
    std::copy(first, first + order_.size(), order_.begin());
  }
};

} // namespace torch::data::samplers
