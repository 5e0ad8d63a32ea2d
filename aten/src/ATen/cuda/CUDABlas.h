#pragma once

// Products of matrices and triangular systems in device memory, by cuBLAS; without it, and with
// ATEN_CUDA_GEMM=own, by kernels of this project (native/cuda/OwnBlas.h).

#include <ATen/native/Blas.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Export.h>

#include <cstddef>
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

// Solves A X = B in place of B, for `count` triangular matrices of `n` rows and right sides of
// `columns` columns. `a` and `b` are arrays of pointers in device memory, to column-major matrices.
void triangular_solve(
    c10::ScalarType dtype, bool upper, bool unit, int n, int columns, const void* const* a,
    void* const* b, int count);

// The bytes of each workspace of cuBLAS. Handles get one of the new size when they are used next.
TORCH_CUDA_CPP_API size_t workspace_size();
TORCH_CUDA_CPP_API void set_workspace_size(size_t bytes);

// The handle that these functions use in the calling thread, as a number for other libraries.
TORCH_CUDA_CPP_API uintptr_t current_handle();

} // namespace at::cuda::blas
