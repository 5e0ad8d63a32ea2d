#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>

#include <vector>

namespace torch::autograd::generated {

// What remains of a tensor whose gradient is zero: enough to create the zeros.
struct TypeAndSize {
  TypeAndSize() = default;
  TypeAndSize(const at::Tensor& tensor) : sizes(tensor.sizes().vec()), options(tensor.options()) {}

  at::Tensor zeros() const { return at::zeros(sizes, options); }

  std::vector<int64_t> sizes;
  at::TensorOptions options;
};

} // namespace torch::autograd::generated
