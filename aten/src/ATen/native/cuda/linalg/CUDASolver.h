#pragma once

// Factorizations of matrices in device memory, by cuSOLVER and cuBLAS, with LAPACK's names and
// order of arguments. Matrices are column-major; `info` is in device memory. A `_batched` routine
// takes `count` matrices by an array of pointers in device memory.

#include <c10/util/complex.h>

#include <cstdint>

namespace at::cuda::solver {

enum class SvdDriver : uint8_t { Jacobi, QR };

#define AT_DECLARE_SOLVER(T, Real)                                                               \
  void potrf(char uplo, int n, T* a, int* info);                                                 \
  void potrf_batched(char uplo, int n, T** a, int* info, int count);                             \
  void getrf(int m, int n, T* a, int* pivots, int* info);                                        \
  void getrf_batched(int n, T** a, int* pivots, int* info, int count);                           \
  void getrs(char trans, int n, int columns, const T* a, const int* pivots, T* b, int* info);    \
  void getrs_batched(                                                                            \
      char trans, int n, int columns, const T* const* a, const int* pivots, T** b, int count);   \
  void geqrf(int m, int n, T* a, T* tau, int* info);                                             \
  void orgqr(int m, int n, int k, T* a, const T* tau, int* info);                                \
  void syevd(char jobz, char uplo, int n, T* a, Real* values, int* info);                        \
  /* The columns of u and of v, not of v^H. `job` is N, S or A, as in gesdd. QR needs m >= n. */ \
  void gesvd(SvdDriver driver, char job, int m, int n, T* a, Real* s, T* u, T* v, int* info);
AT_DECLARE_SOLVER(float, float)
AT_DECLARE_SOLVER(double, double)
AT_DECLARE_SOLVER(c10::complex<float>, float)
AT_DECLARE_SOLVER(c10::complex<double>, double)
#undef AT_DECLARE_SOLVER

// The handle that these functions use in the calling thread, as a number for other libraries.
uintptr_t current_handle();

} // namespace at::cuda::solver
