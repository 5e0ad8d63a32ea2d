#pragma once

// The handles of cuBLAS, and the check of its calls.

#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>

#include <cublas_v2.h>

namespace at::cuda {

// The handle of the calling thread for the current device. It queues its work in the current
// stream, and its workspace belongs to that stream, so that a captured graph allocates nothing.
TORCH_CUDA_CPP_API cublasHandle_t getCurrentCUDABlasHandle();

namespace blas {
// Throws AcceleratorError with the status in words.
[[noreturn]] C10_COLD TORCH_CUDA_CPP_API void throw_cublas_error(
    cublasStatus_t status, const char* call);
} // namespace blas
} // namespace at::cuda

#define TORCH_CUDABLAS_CHECK(call)                               \
  do {                                                           \
    const cublasStatus_t torch_status = (call);                  \
    if (C10_UNLIKELY(torch_status != CUBLAS_STATUS_SUCCESS)) {   \
      ::at::cuda::blas::throw_cublas_error(torch_status, #call); \
    }                                                            \
  } while (false)
