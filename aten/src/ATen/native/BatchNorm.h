#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/NormKernels.h>

namespace at::native {

// An input (N, C, *) as the channel kernels read it.
struct ChannelInput {
  Tensor tensor; // contiguous in `format`
  MemoryFormat format;
  ChannelShape shape;
};
ChannelInput channel_input(const Tensor& input);

// The dtype of the statistics that a batch norm saves and of its parameters' gradients: the
// parameters' own where there are some.
ScalarType batch_norm_dtype(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var);

} // namespace at::native
