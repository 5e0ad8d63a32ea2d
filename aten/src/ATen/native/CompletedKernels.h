#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

// Helpers for generated out= and functional variants.
namespace at::native {

// Resizes `out` to the result's shape and copies the result to it.
TORCH_API void copy_to_out(const Tensor& out, const Tensor& result);
TORCH_API void copy_to_out(TensorList out, TensorList results);

TORCH_API Tensor copy_argument(const Tensor& argument);
TORCH_API std::vector<Tensor> copy_argument(TensorList arguments);

} // namespace at::native
