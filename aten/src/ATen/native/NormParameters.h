#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/to.h>

#include <cmath>

// Common code of the normalizations: their optional parameters and compute dtype.
namespace at::native {

inline bool is_given(const std::optional<Tensor>& tensor) {
  return tensor.has_value() && tensor->defined();
}

inline ScalarType norm_compute_dtype(ScalarType dtype) {
  return dtype == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
}

inline double inverse_std(double variance, double eps) {
  return 1 / std::sqrt(variance + eps);
}

// A parameter as the kernels read it: contiguous and in the compute dtype; undefined if absent.
inline Tensor norm_parameter(const std::optional<Tensor>& parameter, ScalarType compute) {
  return is_given(parameter) ? at::methods::to(*parameter, compute).contiguous() : Tensor();
}

inline const void* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}
inline void* mutable_data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr() : nullptr;
}

// Checks that the input's shape ends with the normalized shape and that the parameters have the
// normalized shape.
// `separator` stands between the star and the sizes in the message about an input of other sizes.
void check_normalized_shape(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, const char* separator = ", ");

} // namespace at::native
