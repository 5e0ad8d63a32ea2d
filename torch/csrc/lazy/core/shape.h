#pragma once

#include <ATen/core/TensorBase.h>
#include <c10/util/DimVector.h>
#include <torch/csrc/lazy/core/hash.h>

#include <string>

namespace torch::lazy {

// What is known of a result before it is computed. A default shape stands for an undefined tensor.
struct Shape {
  Shape() = default;
  Shape(at::ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides)
      : dtype(dtype), sizes(sizes.begin(), sizes.end()), strides(strides.begin(), strides.end()) {}
  // The shape of a tensor. Results are dense, so without dense strides it is contiguous.
  TORCH_API static Shape of(const at::TensorBase& tensor);

  bool defined() const { return dtype != at::ScalarType::Undefined; }
  int64_t numel() const;
  bool is_scalar() const { return sizes.empty(); }
  // Whether elements have the same places. The strides of dimensions without a second element do
  // not count.
  bool same_places(at::IntArrayRef other_sizes, at::IntArrayRef other_strides) const;
  Hash hash() const;
  // Such as Float[2,3].
  std::string to_string() const;

  at::ScalarType dtype = at::ScalarType::Undefined;
  c10::DimVector sizes;
  c10::DimVector strides;
  bool is_wrapped_number = false;
};

} // namespace torch::lazy
