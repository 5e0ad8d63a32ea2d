#pragma once

// The part of BLAS that builds without cuBLAS need: kernels of this project.

#include <ATen/native/Blas.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Export.h>

#include <cstdint>

namespace at::native {

// Whether ATEN_CUDA_GEMM=own asks for these kernels where cuBLAS is there.
bool prefers_own_gemm();

// Multiplies `count` pairs of matrices at the given element offsets, for operands of any strides.
// The half types are summed in float.
void own_gemm_batch(
    c10::ScalarType dtype, const Gemm& first, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta);

// at::cuda::blas::triangular_solve.
void own_triangular_solve(
    c10::ScalarType dtype, bool upper, bool unit, int n, int columns, const void* const* a,
    void* const* b, int count);

} // namespace at::native
