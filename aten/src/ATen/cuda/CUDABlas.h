#pragma once

// Products of matrices in device memory, by cuBLAS. Without it they throw (no_cublas).

#include <ATen/native/Blas.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Export.h>

#include <cstdint>

namespace at::cuda::blas {

// The dtypes that gemm_batch computes: float, double, complex and the half types, the last ones
// with sums in float.
bool is_supported(c10::ScalarType dtype);

// Multiplies `count` pairs of matrices at the given element offsets. Operands and results must
// satisfy native::is_blas_layout.
TORCH_CUDA_CPP_API void gemm_batch(
    c10::ScalarType dtype, native::Gemm first, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta);

} // namespace at::cuda::blas
