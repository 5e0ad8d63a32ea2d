#pragma once

// Stands in for cuBLAS's header of the same name when CUDA_EMULATION is ON: the part of its
// interface that this project calls, with its names, signatures and numbers. Matrices are
// column-major.

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstdint>

#define CUBLAS_VERSION 130000

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1 } cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;

typedef struct cublasContext* cublasHandle_t;

extern "C" {

C10_API cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
C10_API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
C10_API cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
C10_API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
C10_API cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
C10_API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes);

// c = alpha op(a) op(b) + beta c for each of `count` triples of matrices. `alpha` and `beta` are on
// the host, of the type that the computation runs in. If beta is zero, c is not read.
C10_API cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n,
    int64_t k, const void* alpha, const void* a, cudaDataType a_type, int64_t lda,
    long long int a_step, const void* b, cudaDataType b_type, int64_t ldb, long long int b_step,
    const void* beta, void* c, cudaDataType c_type, int64_t ldc, long long int c_step,
    int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

// Solves op(a) x = alpha b, in place. Only side LEFT and op N are emulated.
#define CUDA_EMULATION_TRSM(P, T)                                                                  \
  C10_API cublasStatus_t cublas##P##trsm_v2(                                                       \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,   \
      cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb);    \
  C10_API cublasStatus_t cublas##P##trsmBatched(                                                   \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,   \
      cublasDiagType_t diag, int m, int n, const T* alpha, const T* const* a, int lda,             \
      T* const* b, int ldb, int count);                                                            \
  /* Defined with the emulated cuSOLVER, which has LAPACK. */                                      \
  cublasStatus_t cublas##P##getrfBatched(                                                          \
      cublasHandle_t handle, int n, T* const* a, int lda, int* pivots, int* info, int count);      \
  cublasStatus_t cublas##P##getrsBatched(                                                          \
      cublasHandle_t handle, cublasOperation_t op, int n, int columns, const T* const* a, int lda, \
      const int* pivots, T* const* b, int ldb, int* info, int count);
CUDA_EMULATION_TRSM(S, float)
CUDA_EMULATION_TRSM(D, double)
CUDA_EMULATION_TRSM(C, cuComplex)
CUDA_EMULATION_TRSM(Z, cuDoubleComplex)
#undef CUDA_EMULATION_TRSM

} // extern "C"

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasStrsm cublasStrsm_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasCtrsm cublasCtrsm_v2
#define cublasZtrsm cublasZtrsm_v2
