// The part of cuSOLVER, and of cuBLAS's batched factorizations, that this project calls, for the
// emulated device: kernels of one thread that call the CPU's LAPACK. So the work is queued in
// streams, and every access to a matrix is checked.

#include <ATen/native/blas/Lapack.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/util/complex.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cstdint>
#include <vector>

struct cusolverDnContext {
  int device;
  cudaStream_t stream = nullptr;
};
struct gesvdjInfo {};

namespace {

namespace lapack = at::native::blas;

constexpr int kWork = 64; // the size of every workspace; LAPACK has its own

template <typename F>
__global__ void run_kernel(F f) {
  f();
}

template <typename F>
cusolverStatus_t queue(cusolverDnHandle_t handle, const F& f) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (device != handle->device) return CUSOLVER_STATUS_INVALID_VALUE;
  return at::cuda::launch(run_kernel<F>, 1, 1, 0, handle->stream, f) == cudaSuccess
      ? CUSOLVER_STATUS_SUCCESS
      : CUSOLVER_STATUS_EXECUTION_FAILED;
}
template <typename F>
cublasStatus_t queue(cublasHandle_t handle, const F& f) {
  cudaStream_t stream = nullptr;
  cublasGetStream(handle, &stream);
  return at::cuda::launch(run_kernel<F>, 1, 1, 0, stream, f) == cudaSuccess
      ? CUBLAS_STATUS_SUCCESS
      : CUBLAS_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t work_size(int* size) {
  *size = kWork;
  return CUSOLVER_STATUS_SUCCESS;
}

char letter(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
}
char letter(cublasOperation_t op) {
  return op == CUBLAS_OP_N ? 'N' : op == CUBLAS_OP_T ? 'T' : 'C';
}

template <typename T>
struct NumberOf {
  using type = T;
};
template <>
struct NumberOf<cuComplex> {
  using type = c10::complex<float>;
};
template <>
struct NumberOf<cuDoubleComplex> {
  using type = c10::complex<double>;
};

// LAPACK's number, without the const that its interface here lacks.
template <typename T>
auto* number(const T* data) {
  return reinterpret_cast<typename NumberOf<T>::type*>(const_cast<T*>(data));
}

template <typename T>
T conjugate(T value) {
  return value;
}
template <typename T>
c10::complex<T> conjugate(c10::complex<T> value) {
  return {value.real(), -value.imag()};
}

// The columns of V, from gesdd's V^H.
template <typename T, typename Real>
int svd_with_columns(char job, int m, int n, T* a, int lda, Real* s, T* u, int ldu, T* v, int ldv) {
  const int height = job == 'N' ? 1 : job == 'S' ? std::min(m, n) : n;
  std::vector<T> rows(static_cast<size_t>(height) * static_cast<size_t>(n));
  const int info = lapack::gesdd(job, m, n, a, lda, s, u, ldu, rows.data(), height);
  for (int j = 0; job != 'N' && j < n; ++j) {
    for (int i = 0; i < height; ++i) {
      v[j + static_cast<int64_t>(i) * ldv] = conjugate(rows[static_cast<size_t>(i + j * height)]);
    }
  }
  return info;
}

} // namespace

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = new cusolverDnContext{device};
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) {
  *info = new gesvdjInfo;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}

#define CUDA_EMULATION_SOLVER(P, Q, E, T, Real)                                                    \
  cusolverStatus_t cusolverDn##P##potrf_bufferSize(                                                \
      cusolverDnHandle_t, cublasFillMode_t, int, T*, int, int* size) {                             \
    return work_size(size);                                                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##potrf(                                                           \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda, T*, int,             \
      int* info) {                                                                                 \
    return queue(handle, [=] { *info = lapack::potrf(letter(uplo), n, number(a), lda); });         \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##potrfBatched(                                                    \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a[], int lda, int* info,         \
      int count) {                                                                                 \
    return queue(handle, [=] {                                                                     \
      for (int i = 0; i < count; ++i) {                                                            \
        info[i] = lapack::potrf(letter(uplo), n, number(a[i]), lda);                               \
      }                                                                                            \
    });                                                                                            \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##getrf_bufferSize(                                                \
      cusolverDnHandle_t, int, int, T*, int, int* size) {                                          \
    return work_size(size);                                                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##getrf(                                                           \
      cusolverDnHandle_t handle, int m, int n, T* a, int lda, T*, int* pivots, int* info) {        \
    return queue(handle, [=] { *info = lapack::getrf(m, n, number(a), lda, pivots); });            \
  }                                                                                                \
  cublasStatus_t cublas##P##getrfBatched(                                                          \
      cublasHandle_t handle, int n, T* const* a, int lda, int* pivots, int* info, int count) {     \
    return queue(handle, [=] {                                                                     \
      for (int i = 0; i < count; ++i) {                                                            \
        info[i] = lapack::getrf(n, n, number(a[i]), lda, pivots + i * n);                          \
      }                                                                                            \
    });                                                                                            \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##getrs(                                                           \
      cusolverDnHandle_t handle, cublasOperation_t op, int n, int columns, const T* a, int lda,    \
      const int* pivots, T* b, int ldb, int* info) {                                               \
    return queue(handle, [=] {                                                                     \
      *info = lapack::getrs(                                                                       \
          letter(op), n, columns, number(a), lda, const_cast<int*>(pivots), number(b), ldb);       \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##P##getrsBatched(                                                          \
      cublasHandle_t handle, cublasOperation_t op, int n, int columns, const T* const* a, int lda, \
      const int* pivots, T* const* b, int ldb, int* info, int count) {                             \
    *info = 0;                                                                                     \
    return queue(handle, [=] {                                                                     \
      for (int i = 0; i < count; ++i) {                                                            \
        lapack::getrs(                                                                             \
            letter(op), n, columns, number(a[i]), lda, const_cast<int*>(pivots) + i * n,           \
            number(b[i]), ldb);                                                                    \
      }                                                                                            \
    });                                                                                            \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##geqrf_bufferSize(                                                \
      cusolverDnHandle_t, int, int, T*, int, int* size) {                                          \
    return work_size(size);                                                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##geqrf(                                                           \
      cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* tau, T*, int, int* info) {        \
    return queue(handle, [=] { *info = lapack::geqrf(m, n, number(a), lda, number(tau)); });       \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##Q##_bufferSize(                                                  \
      cusolverDnHandle_t, int, int, int, const T*, int, const T*, int* size) {                     \
    return work_size(size);                                                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##Q(                                                               \
      cusolverDnHandle_t handle, int m, int n, int k, T* a, int lda, const T* tau, T*, int,        \
      int* info) {                                                                                 \
    return queue(handle, [=] { *info = lapack::orgqr(m, n, k, number(a), lda, number(tau)); });    \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##E##_bufferSize(                                                  \
      cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const Real*,    \
      int* size) {                                                                                 \
    return work_size(size);                                                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##E(                                                               \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, T* a,       \
      int lda, Real* values, T*, int, int* info) {                                                 \
    return queue(handle, [=] {                                                                     \
      const char job = mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N';                               \
      *info = lapack::syevd(job, letter(uplo), n, number(a), lda, values);                         \
    });                                                                                            \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t, int m, int n, int* size) {  \
    return m < n ? CUSOLVER_STATUS_INVALID_VALUE : work_size(size);                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##gesvd(                                                           \
      cusolverDnHandle_t handle, signed char job, signed char, int m, int n, T* a, int lda,        \
      Real* s, T* u, int ldu, T* vt, int ldvt, T*, int, Real*, int* info) {                        \
    return queue(handle, [=] {                                                                     \
      *info = lapack::gesdd(                                                                       \
          static_cast<char>(job), m, n, number(a), lda, s, number(u), ldu, number(vt), ldvt);      \
    });                                                                                            \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##gesvdj_bufferSize(                                               \
      cusolverDnHandle_t, cusolverEigMode_t, int, int, int, const T*, int, const Real*, const T*,  \
      int, const T*, int, int* size, gesvdjInfo_t) {                                               \
    return work_size(size);                                                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##P##gesvdj(                                                          \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, int economy, int m, int n, T* a, int lda, \
      Real* s, T* u, int ldu, T* v, int ldv, T*, int, int* info, gesvdjInfo_t) {                   \
    return queue(handle, [=] {                                                                     \
      const char job = mode == CUSOLVER_EIG_MODE_NOVECTOR ? 'N' : economy != 0 ? 'S' : 'A';        \
      *info = svd_with_columns(job, m, n, number(a), lda, s, number(u), ldu, number(v), ldv);      \
    });                                                                                            \
  }
CUDA_EMULATION_SOLVER(S, orgqr, syevd, float, float)
CUDA_EMULATION_SOLVER(D, orgqr, syevd, double, double)
CUDA_EMULATION_SOLVER(C, ungqr, heevd, cuComplex, float)
CUDA_EMULATION_SOLVER(Z, ungqr, heevd, cuDoubleComplex, double)
#undef CUDA_EMULATION_SOLVER
