#pragma once

// Stands in for cuSOLVER's header of the same name when CUDA_EMULATION is ON: the part of its
// interface that this project calls, with its names, signatures and numbers. Matrices are
// column-major, in device memory. LAPACK serves it (ATen/cuda/emulated/Cusolver.cpp).

#include <cuComplex.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

typedef enum {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6
} cusolverStatus_t;

typedef enum { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 } cusolverEigMode_t;

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct gesvdjInfo* gesvdjInfo_t;

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);

// E is syevd or heevd; Q is orgqr or ungqr.
#define CUDA_EMULATION_SOLVER(P, Q, E, T, Real)                                                   \
  cusolverStatus_t cusolverDn##P##potrf_bufferSize(                                               \
      cusolverDnHandle_t, cublasFillMode_t uplo, int n, T* a, int lda, int* size);                \
  cusolverStatus_t cusolverDn##P##potrf(                                                          \
      cusolverDnHandle_t, cublasFillMode_t uplo, int n, T* a, int lda, T* work, int size,         \
      int* info);                                                                                 \
  cusolverStatus_t cusolverDn##P##potrfBatched(                                                   \
      cusolverDnHandle_t, cublasFillMode_t uplo, int n, T* a[], int lda, int* info, int count);   \
  cusolverStatus_t cusolverDn##P##getrf_bufferSize(                                               \
      cusolverDnHandle_t, int m, int n, T* a, int lda, int* size);                                \
  cusolverStatus_t cusolverDn##P##getrf(                                                          \
      cusolverDnHandle_t, int m, int n, T* a, int lda, T* work, int* pivots, int* info);          \
  cusolverStatus_t cusolverDn##P##getrs(                                                          \
      cusolverDnHandle_t, cublasOperation_t op, int n, int columns, const T* a, int lda,          \
      const int* pivots, T* b, int ldb, int* info);                                               \
  cusolverStatus_t cusolverDn##P##geqrf_bufferSize(                                               \
      cusolverDnHandle_t, int m, int n, T* a, int lda, int* size);                                \
  cusolverStatus_t cusolverDn##P##geqrf(                                                          \
      cusolverDnHandle_t, int m, int n, T* a, int lda, T* tau, T* work, int size, int* info);     \
  cusolverStatus_t cusolverDn##P##Q##_bufferSize(                                                 \
      cusolverDnHandle_t, int m, int n, int k, const T* a, int lda, const T* tau, int* size);     \
  cusolverStatus_t cusolverDn##P##Q(                                                              \
      cusolverDnHandle_t, int m, int n, int k, T* a, int lda, const T* tau, T* work, int size,    \
      int* info);                                                                                 \
  cusolverStatus_t cusolverDn##P##E##_bufferSize(                                                 \
      cusolverDnHandle_t, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, const T* a,       \
      int lda, const Real* values, int* size);                                                    \
  cusolverStatus_t cusolverDn##P##E(                                                              \
      cusolverDnHandle_t, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, T* a, int lda,    \
      Real* values, T* work, int size, int* info);                                                \
  cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t, int m, int n, int* size);  \
  cusolverStatus_t cusolverDn##P##gesvd(                                                          \
      cusolverDnHandle_t, signed char job_u, signed char job_vt, int m, int n, T* a, int lda,     \
      Real* s, T* u, int ldu, T* vt, int ldvt, T* work, int size, Real* rest, int* info);         \
  cusolverStatus_t cusolverDn##P##gesvdj_bufferSize(                                              \
      cusolverDnHandle_t, cusolverEigMode_t mode, int economy, int m, int n, const T* a, int lda, \
      const Real* s, const T* u, int ldu, const T* v, int ldv, int* size, gesvdjInfo_t);          \
  cusolverStatus_t cusolverDn##P##gesvdj(                                                         \
      cusolverDnHandle_t, cusolverEigMode_t mode, int economy, int m, int n, T* a, int lda,       \
      Real* s, T* u, int ldu, T* v, int ldv, T* work, int size, int* info, gesvdjInfo_t);
CUDA_EMULATION_SOLVER(S, orgqr, syevd, float, float)
CUDA_EMULATION_SOLVER(D, orgqr, syevd, double, double)
CUDA_EMULATION_SOLVER(C, ungqr, heevd, cuComplex, float)
CUDA_EMULATION_SOLVER(Z, ungqr, heevd, cuDoubleComplex, double)
#undef CUDA_EMULATION_SOLVER

} // extern "C"
