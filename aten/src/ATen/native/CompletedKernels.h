#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

// What generated out= and functional variants are made of.
namespace at::native {

// Resizes `out` to the result and copies it.
TORCH_API void copy_to_out(const Tensor& out, const Tensor& result);
TORCH_API void copy_to_out(TensorList out, TensorList results);

TORCH_API Tensor copy_argument(const Tensor& argument);
TORCH_API std::vector<Tensor> copy_argument(TensorList arguments);

} // namespace at::native
