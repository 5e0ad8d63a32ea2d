#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

// One number per channel. There are few, so they are processed in double and passed to kernels in
// the kernels' compute dtype.
namespace at::native {

using ChannelValues = std::vector<double>;

// The elements of a tensor, or `count` times `absent` if there is none.
ChannelValues channel_values(const std::optional<Tensor>& tensor, int64_t count, double absent);

// A tensor with the given values.
Tensor channel_tensor(const ChannelValues& values, const TensorOptions& options);

// Overwrites a tensor's elements.
void store_channels(const Tensor& tensor, const ChannelValues& values);

// The address of an element of a contiguous tensor.
inline const void* at_element(const Tensor& tensor, int64_t element) {
  return static_cast<const char*>(tensor.const_data_ptr()) +
      element * static_cast<int64_t>(tensor.itemsize());
}

inline void* at_element(Tensor& tensor, int64_t element) {
  return static_cast<char*>(tensor.mutable_data_ptr()) +
      element * static_cast<int64_t>(tensor.itemsize());
}

// The values as float or double, from one of them on.
class WideValues {
 public:
  WideValues(const ChannelValues& values, ScalarType wide);
  const void* data(int64_t first = 0) const;

 private:
  const ChannelValues* doubles_;
  std::vector<float> floats_;
};

} // namespace at::native
