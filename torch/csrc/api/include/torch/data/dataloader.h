#pragma once

#include <torch/arg.h>
#include <torch/data/samplers.h>

#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace torch::data {

// `workers` is accepted for programs that set it: batches are made by the thread that asks for
// them.
struct DataLoaderOptions {
  DataLoaderOptions(size_t batch_size = 1) // NOLINT(google-explicit-constructor)
      : batch_size_(batch_size) {}
  TORCH_ARG(size_t, batch_size);
  TORCH_ARG(size_t, workers) = 0;
  TORCH_ARG(bool, drop_last) = false;
};

// Iterates over the batches of a data set. Each begin() starts an epoch: it resets the sampler.
template <typename Dataset, typename Sampler>
class StatelessDataLoader {
 public:
  using BatchType = typename Dataset::Batch;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = BatchType;
    using difference_type = std::ptrdiff_t;
    using pointer = BatchType*;
    using reference = BatchType&;

    explicit Iterator(StatelessDataLoader* loader) : loader_(loader) { ++*this; }
    Iterator() = default;
    BatchType& operator*() { return *batch_; }
    BatchType* operator->() { return &*batch_; }
    Iterator& operator++() {
      batch_ = loader_->next();
      return *this;
    }
    // Only the end is equal to anything.
    bool operator==(const Iterator& other) const { return !batch_ && !other.batch_; }

   private:
    StatelessDataLoader* loader_ = nullptr;
    std::optional<BatchType> batch_;
  };

  StatelessDataLoader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
      : dataset_(std::move(dataset)), sampler_(std::move(sampler)), options_(options) {
    TORCH_CHECK(options_.batch_size() > 0, "the size of batches must be positive");
  }
  Iterator begin() {
    sampler_.reset();
    return Iterator(this);
  }
  Iterator end() { return Iterator(); }
  const DataLoaderOptions& options() const noexcept { return options_; }

 private:
  std::optional<BatchType> next() {
    const auto indices = sampler_.next(options_.batch_size());
    if (!indices || (options_.drop_last() && indices->size() < options_.batch_size())) {
      return std::nullopt;
    }
    return dataset_.get_batch(*indices);
  }

  Dataset dataset_;
  Sampler sampler_;
  DataLoaderOptions options_;
};

template <typename Sampler = samplers::RandomSampler, typename Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = {}) {
  const auto size = dataset.size();
  TORCH_CHECK(
      size.has_value(), "Expected the dataset to be sized in order to construct the Sampler");
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(
      std::move(dataset), Sampler(*size), options);
}
template <typename Dataset, typename Sampler>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, Sampler sampler, DataLoaderOptions options = {}) {
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(
      std::move(dataset), std::move(sampler), options);
}

} // namespace torch::data
