#pragma once

#include <ATen/core/Tensor.h>
#include <c10/macros/Export.h>

#include <optional>

namespace at::native {

// Checks the number of groups, and that the parameters have one element per channel.
TORCH_API void check_group_norm(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    int64_t channels, int64_t groups);

} // namespace at::native
