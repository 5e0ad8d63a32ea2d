#pragma once

#include <torch/types.h>

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace torch::data {

// An example: its data and what a model shall compute from it.
template <typename Data = Tensor, typename Target = Tensor>
struct Example {
  Example() = default;
  Example(Data data_, Target target_) : data(std::move(data_)), target(std::move(target_)) {}
  Data data;
  Target target;
};

namespace datasets {

template <typename DatasetType, typename Transform>
class MapDataset;

// What has `get_batch(indices)` and `size()`. Self is the derived class, ExampleType an example,
// and BatchType what get_batch returns.
template <
    typename Self, typename ExampleType = Example<>, typename BatchType = std::vector<ExampleType>>
class BatchDataset {
 public:
  using Batch = BatchType;
  virtual ~BatchDataset() = default;
  virtual BatchType get_batch(ArrayRef<size_t> indices) = 0;
  virtual std::optional<size_t> size() const = 0;

  // The data set whose batches are those of this one after a transform.
  template <typename Transform>
  MapDataset<Self, Transform> map(Transform transform) && {
    return {std::move(static_cast<Self&>(*this)), std::move(transform)};
  }
  template <typename Transform>
  MapDataset<Self, Transform> map(Transform transform) & {
    return {static_cast<Self&>(*this), std::move(transform)};
  }
};

// A data set with single examples: a derived class defines `get(index)` and `size()`.
template <typename Self, typename SingleExample = Example<>>
class Dataset : public BatchDataset<Self, SingleExample> {
 public:
  using ExampleType = SingleExample;
  virtual ExampleType get(size_t index) = 0;
  std::vector<ExampleType> get_batch(ArrayRef<size_t> indices) override {
    std::vector<ExampleType> batch;
    batch.reserve(indices.size());
    for (const size_t index : indices)
      batch.push_back(get(index));
    return batch;
  }
};

template <typename DatasetType, typename Transform>
class MapDataset : public BatchDataset<
                       MapDataset<DatasetType, Transform>, void,
                       std::invoke_result_t<Transform&, typename DatasetType::Batch>> {
 public:
  using OutputBatch = std::invoke_result_t<Transform&, typename DatasetType::Batch>;

  MapDataset(DatasetType dataset, Transform transform)
      : dataset_(std::move(dataset)), transform_(std::move(transform)) {}
  OutputBatch get_batch(ArrayRef<size_t> indices) override {
    return transform_(dataset_.get_batch(indices));
  }
  std::optional<size_t> size() const override { return dataset_.size(); }
  const DatasetType& dataset() const { return dataset_; }

 private:
  DatasetType dataset_;
  Transform transform_;
};

// The rows of a tensor, or of a tensor of data and one of targets.
class TensorDataset : public Dataset<TensorDataset> {
 public:
  TensorDataset(Tensor data, Tensor targets)
      : data_(std::move(data)), targets_(std::move(targets)) {
    TORCH_CHECK(data_.size(0) == targets_.size(0), "data and targets differ in their first size");
  }
  Example<> get(size_t index) override {
    const auto row = static_cast<int64_t>(index);
    return {data_[row], targets_[row]};
  }
  std::optional<size_t> size() const override { return static_cast<size_t>(data_.size(0)); }

 private:
  Tensor data_, targets_;
};

} // namespace datasets
} // namespace torch::data
