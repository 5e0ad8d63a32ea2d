#pragma once

#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <tuple>

// torch::nn::init: fill tensors in place, without recording it.
namespace torch::nn::init {

inline Tensor uniform_(Tensor tensor, double low = 0, double high = 1) {
  const NoGradGuard guard;
  return tensor.uniform_(low, high);
}
inline Tensor normal_(Tensor tensor, double mean = 0, double std = 1) {
  const NoGradGuard guard;
  return tensor.normal_(mean, std);
}
inline Tensor constant_(Tensor tensor, Scalar value) {
  const NoGradGuard guard;
  return tensor.fill_(value);
}
inline Tensor zeros_(Tensor tensor) {
  return constant_(std::move(tensor), 0);
}
inline Tensor ones_(Tensor tensor) {
  return constant_(std::move(tensor), 1);
}

// How many inputs each output depends on, and how many outputs each input goes to.
inline std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor) {
  TORCH_CHECK(tensor.dim() >= 2, "Fan in and fan out need at least 2 dimensions");
  const int64_t field = tensor[0][0].numel();
  return {tensor.size(1) * field, tensor.size(0) * field};
}

inline Tensor xavier_uniform_(Tensor tensor, double gain = 1) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  const double bound = gain * std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
  return uniform_(std::move(tensor), -bound, bound);
}
inline Tensor xavier_normal_(Tensor tensor, double gain = 1) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return normal_(
      std::move(tensor), 0, gain * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out)));
}
// For a leaky ReLU of slope `a` after the layer.
inline Tensor kaiming_uniform_(Tensor tensor, double a = 0) {
  const auto fan_in = static_cast<double>(std::get<0>(_calculate_fan_in_and_fan_out(tensor)));
  const double bound = std::sqrt(6.0 / ((1 + a * a) * fan_in));
  return uniform_(std::move(tensor), -bound, bound);
}

} // namespace torch::nn::init
