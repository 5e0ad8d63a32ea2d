#pragma once

// Convolutions of device memory by cuDNN. Each function has the contract of the dispatch stub of
// the same name in ATen/native/ConvShape.h, and returns whether cuDNN computed the result: without
// cuDNN (no_cudnn), with torch.backends.cudnn.enabled off, for sizes beyond 32 bits, and where no
// algorithm fits the settings and the free memory, the result is untouched and the caller computes.

#include <ATen/native/ConvShape.h>
#include <c10/macros/Export.h>

namespace at::cuda::dnn {

// As cuDNN counts: 91200 for 9.12.0; 0 without cuDNN.
TORCH_CUDA_CPP_API long version();

bool conv(
    c10::ScalarType dtype, const native::ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output);
bool conv_adjoint(
    c10::ScalarType dtype, const native::ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input);
bool conv_weight(
    c10::ScalarType dtype, const native::ConvShape& shape, const void* input, const void* output,
    void* weight);

// How many algorithms torch.backends.cudnn.benchmark measures, at least 0; 0 means all.
TORCH_CUDA_CPP_API int benchmark_limit();
TORCH_CUDA_CPP_API void set_benchmark_limit(int limit);

} // namespace at::cuda::dnn
