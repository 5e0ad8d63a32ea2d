#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/NormKernels.h>

namespace at::native {

// An input (N, C, *) in the form that the channel kernels read.
struct ChannelInput {
  Tensor tensor; // contiguous in `format`
  MemoryFormat format;
  ChannelShape shape;
};
TORCH_API ChannelInput channel_input(const Tensor& input);

// The memory format of the output.
TORCH_API MemoryFormat batch_norm_format(const Tensor& input);

// The dtype of the statistics that a batch norm saves and of its parameters' gradients: the dtype
// of the parameters if there are any.
TORCH_API ScalarType batch_norm_dtype(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var);

} // namespace at::native
