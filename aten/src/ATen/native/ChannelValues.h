#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

// One number for each channel. They are few: all of them are worked with in double, and handed to
// kernels in the dtype these compute in.
namespace at::native {

using ChannelValues = std::vector<double>;

// The elements of a tensor, or `count` times `absent` without one.
ChannelValues channel_values(const std::optional<Tensor>& tensor, int64_t count, double absent);

// A tensor with the given values.
Tensor channel_tensor(const ChannelValues& values, const TensorOptions& options);

// Overwrites a tensor's elements.
void store_channels(const Tensor& tensor, const ChannelValues& values);

// The values as float or double.
class WideValues {
 public:
  WideValues(const ChannelValues& values, ScalarType wide);
  const void* data() const;

 private:
  const ChannelValues* doubles_;
  std::vector<float> floats_;
};

} // namespace at::native
