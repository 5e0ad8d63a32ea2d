#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/to.h>

// What the normalizations share: their optional parameters and the dtype they compute in.
namespace at::native {

inline bool is_given(const std::optional<Tensor>& tensor) {
  return tensor.has_value() && tensor->defined();
}

inline ScalarType norm_compute_dtype(ScalarType dtype) {
  return dtype == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
}

// A parameter as the kernels read it: contiguous, of the dtype they compute in; undefined if
// absent.
inline Tensor norm_parameter(const std::optional<Tensor>& parameter, ScalarType compute) {
  return is_given(parameter) ? at::methods::to(*parameter, compute).contiguous() : Tensor();
}

inline const void* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}
inline void* mutable_data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr() : nullptr;
}

// That the input ends with the normalized shape, and the parameters have it.
void check_normalized_shape(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias);

} // namespace at::native
