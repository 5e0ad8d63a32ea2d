#include <ATen/cuda/CUDABlas.h>

#include <ATen/Context.h>
#include <ATen/cuda/CUDABlasHandle.h>
#include <ATen/native/cuda/OwnBlas.h>
#include <c10/cuda/CUDAException.h>
#include <c10/util/complex.h>

#include <algorithm>
#include <string>

namespace at::cuda::blas {
namespace {

const char* name_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "an unknown status of cuBLAS";
}

// A matrix as cuBLAS sees it. Its matrices are column-major, so a row-major one is its transpose.
struct Operand {
  cublasOperation_t op;
  int64_t leading;
};
Operand transposed_operand(
    int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  if (native::is_row_major(rows, columns, row_stride, column_stride)) {
    return {CUBLAS_OP_N, rows == 1 ? std::max<int64_t>(columns, 1) : row_stride};
  }
  return {CUBLAS_OP_T, columns == 1 ? std::max<int64_t>(rows, 1) : column_stride};
}

cublasComputeType_t compute_type(c10::ScalarType dtype) {
  if (dtype == c10::ScalarType::Double || dtype == c10::ScalarType::ComplexDouble) {
    return CUBLAS_COMPUTE_64F;
  }
  const bool may_round = dtype == c10::ScalarType::Float &&
      at::globalContext().float32MatmulPrecision() != Float32MatmulPrecision::HIGHEST;
  return may_round ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

struct Batch {
  int64_t count;
  int64_t a_step, b_step, c_step;
};

// `Wide` is the type of alpha and beta. C = A B reads C^T = B^T A^T in columns.
template <typename Wide>
void run(
    c10::ScalarType dtype, cudaDataType type, const native::Gemm& g, const Batch& batch,
    const c10::Scalar& alpha, const c10::Scalar& beta) {
  const Operand a = transposed_operand(g.m, g.k, g.a_row, g.a_col);
  const Operand b = transposed_operand(g.k, g.n, g.b_row, g.b_col);
  const int64_t ldc = g.m == 1 ? std::max<int64_t>(g.n, 1) : g.c_row;
  const auto x = alpha.to<Wide>(), y = beta.to<Wide>();
  TORCH_CUDABLAS_CHECK(cublasGemmStridedBatchedEx_64(
      getCurrentCUDABlasHandle(), b.op, a.op, g.n, g.m, g.k, &x, g.b, type, b.leading, batch.b_step,
      g.a, type, a.leading, batch.a_step, &y, g.c, type, ldc, batch.c_step, batch.count,
      compute_type(dtype), CUBLAS_GEMM_DEFAULT));
}

} // namespace

void throw_cublas_error(cublasStatus_t status, const char* call) {
  throw c10::AcceleratorError(
      {__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, static_cast<int>(status),
      std::string("CUDA error: ") + name_of(status) + " when calling `" + call + "`");
}

uintptr_t current_handle() {
  return reinterpret_cast<uintptr_t>(getCurrentCUDABlasHandle());
}

bool is_supported(c10::ScalarType dtype) {
  return c10::isFloatingType(dtype) || dtype == c10::ScalarType::ComplexFloat ||
      dtype == c10::ScalarType::ComplexDouble;
}

void gemm_batch(
    c10::ScalarType dtype, native::Gemm first, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta) {
  if (native::prefers_own_gemm()) {
    native::own_gemm_batch(dtype, first, count, a_step, b_step, c_step, alpha, beta);
    return;
  }
  Batch batch{count, a_step, b_step, c_step};
  if (!native::is_row_major(first.m, first.n, first.c_row, first.c_col)) {
    first = {first.n, first.m,     first.k,     first.b, first.b_col, first.b_row,
             first.a, first.a_col, first.a_row, first.c, first.c_col, first.c_row};
    std::swap(batch.a_step, batch.b_step);
  }
  switch (dtype) {
    case c10::ScalarType::Float:
      return run<float>(dtype, CUDA_R_32F, first, batch, alpha, beta);
    case c10::ScalarType::Double:
      return run<double>(dtype, CUDA_R_64F, first, batch, alpha, beta);
    case c10::ScalarType::Half:
      return run<float>(dtype, CUDA_R_16F, first, batch, alpha, beta);
    case c10::ScalarType::BFloat16:
      return run<float>(dtype, CUDA_R_16BF, first, batch, alpha, beta);
    case c10::ScalarType::ComplexFloat:
      return run<c10::complex<float>>(dtype, CUDA_C_32F, first, batch, alpha, beta);
    case c10::ScalarType::ComplexDouble:
      return run<c10::complex<double>>(dtype, CUDA_C_64F, first, batch, alpha, beta);
    default:
      TORCH_INTERNAL_ASSERT(false, "no product of ", c10::toString(dtype));
  }
}

void triangular_solve(
    c10::ScalarType dtype, bool upper, bool unit, int n, int columns, const void* const* a,
    void* const* b, int count) {
  if (native::prefers_own_gemm()) {
    native::own_triangular_solve(dtype, upper, unit, n, columns, a, b, count);
    return;
  }
  const auto uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const auto diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const auto solve = [&]<typename T>(const T& one, auto* routine) {
    TORCH_CUDABLAS_CHECK(routine(
        getCurrentCUDABlasHandle(), CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, diagonal, n, columns, &one,
        reinterpret_cast<const T* const*>(a), n, reinterpret_cast<T* const*>(b), n, count));
  };
  switch (dtype) {
    case c10::ScalarType::Float:
      return solve(1.0f, &cublasStrsmBatched);
    case c10::ScalarType::Double:
      return solve(1.0, &cublasDtrsmBatched);
    case c10::ScalarType::ComplexFloat:
      return solve(cuComplex{1, 0}, &cublasCtrsmBatched);
    case c10::ScalarType::ComplexDouble:
      return solve(cuDoubleComplex{1, 0}, &cublasZtrsmBatched);
    default:
      TORCH_INTERNAL_ASSERT(false, "no triangular system of ", c10::toString(dtype));
  }
}

} // namespace at::cuda::blas
