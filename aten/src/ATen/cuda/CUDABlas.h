#pragma once

// Products of matrices in device memory, by cuBLAS.

#include <ATen/native/Blas.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Export.h>

#include <cublas_v2.h>

#include <cstdint>

namespace at::cuda {

// The handle of the calling thread for the current device. It queues its work in the current
// stream, and its workspace belongs to that stream, so that a captured graph allocates nothing.
TORCH_CUDA_CPP_API cublasHandle_t getCurrentCUDABlasHandle();

namespace blas {

// Throws AcceleratorError with the status in words.
[[noreturn]] C10_COLD void throw_cublas_error(cublasStatus_t status, const char* call);

// The dtypes that gemm_batch computes: float, double, complex and the half types, the last ones
// with sums in float.
bool is_supported(c10::ScalarType dtype);

// Multiplies `count` pairs of matrices at the given element offsets. Operands and results must
// satisfy native::is_blas_layout.
TORCH_CUDA_CPP_API void gemm_batch(
    c10::ScalarType dtype, native::Gemm first, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta);

} // namespace blas
} // namespace at::cuda

#define TORCH_CUDABLAS_CHECK(call)                               \
  do {                                                           \
    const cublasStatus_t torch_status = (call);                  \
    if (C10_UNLIKELY(torch_status != CUBLAS_STATUS_SUCCESS)) {   \
      ::at::cuda::blas::throw_cublas_error(torch_status, #call); \
    }                                                            \
  } while (false)
