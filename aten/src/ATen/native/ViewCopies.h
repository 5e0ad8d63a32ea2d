#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/CompletedKernels.h>

#include <vector>

// Helpers for the generated kernels of operators that copy a view.
namespace at::native {

// Contiguous copies.
TORCH_API Tensor copy_of(const Tensor& view);
TORCH_API std::vector<Tensor> copy_of(const std::vector<Tensor>& views);

} // namespace at::native
