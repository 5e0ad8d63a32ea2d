#pragma once

// What the generated functions of ATen's operators have in common.

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <torch/csrc/jit/tensorexpr/external_functions.h>

namespace torch::jit::tensorexpr {

// Tensors over the memory of a call, the output first.
TORCH_API std::vector<at::Tensor> constructTensors(
    int64_t bufs_num, void** buf_data, const int64_t* buf_ranks, const int64_t* buf_dims,
    const int64_t* buf_strides, const int8_t* buf_dtypes);

// The value of an argument, which begins at `words`.
TORCH_API double float_argument(const int64_t* words);
TORCH_API c10::Scalar scalar_argument(const int64_t* words);

// Raises ValueError unless a call has what the function takes.
TORCH_API void check_counts(
    const char* function, int64_t bufs_num, int64_t expected_bufs, int64_t args_num,
    int64_t expected_args);
// Raises ValueError if the operator gave the output other sizes. More elements than the memory has
// are an error before: the memory cannot be resized.
TORCH_API void check_output(
    const char* function, const at::Tensor& out, const void* data, const int64_t* dims);

} // namespace torch::jit::tensorexpr
