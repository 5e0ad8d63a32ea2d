#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/NormKernels.h>
#include <c10/util/FunctionRef.h>

namespace at::native {

// An input (N, C, *) in the form that the channel kernels read.
struct ChannelInput {
  Tensor tensor; // contiguous in `format`
  MemoryFormat format;
  ChannelShape shape;
};
TORCH_API ChannelInput channel_input(const Tensor& input);

// Adjacent channels from `first` on; the shape has so many.
struct ChannelBlock {
  ChannelShape shape;
  int64_t first;

  int64_t end() const { return first + shape.channels; }
  int64_t first_element() const { return first * shape.inner; }
};

// Calls run(block) for all channels, in blocks whose elements in `arrays` arrays stay in the cache
// for a second pass. Several threads may call it.
TORCH_API void for_each_channel_block(
    const ChannelInput& in, int64_t arrays, c10::function_ref<void(const ChannelBlock&)> run);

// The memory format of the output.
TORCH_API MemoryFormat batch_norm_format(const Tensor& input);

// The dtype of the statistics that a batch norm saves and of its parameters' gradients: the dtype
// of the parameters if there are any.
TORCH_API ScalarType batch_norm_dtype(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var);

} // namespace at::native
