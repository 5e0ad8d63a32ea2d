#pragma once

#include <torch/data/datasets/base.h>

#include <fstream>
#include <string>

namespace torch::data::datasets {

// The images of handwritten digits of LeCun, Cortes and Burges, from their uncompressed files in a
// folder. An image is a float tensor of 1 x 28 x 28 between 0 and 1, a target an int64 tensor
// without dimensions.
class MNIST : public Dataset<MNIST> {
 public:
  enum class Mode { kTrain, kTest };

  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain) : mode_(mode) {
    const std::string prefix = root + (is_train() ? "/train" : "/t10k");
    images_ = read(prefix + "-images-idx3-ubyte", 3).unsqueeze(1).to(torch::kFloat32).div_(255);
    targets_ = read(prefix + "-labels-idx1-ubyte", 1).to(torch::kInt64);
    TORCH_CHECK(
        images_.size(0) == targets_.size(0), "the files of ", root, " have ", images_.size(0),
        " images and ", targets_.size(0), " labels");
  }
  Example<> get(size_t index) override {
    const auto row = static_cast<int64_t>(index);
    return {images_[row], targets_[row]};
  }
  std::optional<size_t> size() const override { return static_cast<size_t>(images_.size(0)); }
  bool is_train() const noexcept { return mode_ == Mode::kTrain; }
  const Tensor& images() const { return images_; }
  const Tensor& targets() const { return targets_; }

 private:
  // Reads the IDX format: two zeros, the type (8 for bytes), the number of dimensions, their sizes
  // as big-endian 32-bit numbers, and the elements.
  static Tensor read(const std::string& path, int64_t dims) {
    std::ifstream file(path, std::ios::binary);
    TORCH_CHECK(file, "Error opening file at ", path);
    const auto number = [&] {
      uint32_t value = 0;
      for (int i = 0; i < 4; ++i)
        value = value << 8 | static_cast<uint32_t>(file.get() & 0xff);
      return value;
    };
    TORCH_CHECK(number() == 0x800 + dims, path, " is not a file of bytes in ", dims, " dimensions");
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < dims; ++i)
      sizes.push_back(number());
    TORCH_CHECK(file, path, " ends within its header");
    Tensor bytes = torch::empty(sizes, torch::kUInt8);
    file.read(static_cast<char*>(bytes.data_ptr()), bytes.numel());
    TORCH_CHECK(file.gcount() == bytes.numel(), path, " ends before its last element");
    return bytes;
  }

  Tensor images_, targets_;
  Mode mode_;
};

} // namespace torch::data::datasets
