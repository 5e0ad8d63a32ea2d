#pragma once

#include <ATen/core/Tensor.h>

// Sparse tensors are written in Python, so a function that the bindings set makes the sparse
// gradient of gather.

namespace at::native {

using SparseGatherBackward =
    Tensor (*)(const Tensor& grad, IntArrayRef sizes, int64_t dim, const Tensor& index);
TORCH_API void set_sparse_gather_backward(SparseGatherBackward function);

} // namespace at::native
