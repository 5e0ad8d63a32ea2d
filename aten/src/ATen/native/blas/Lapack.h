#pragma once

// LAPACK's routines, with one overload per dtype. Matrices are column-major, and every routine
// returns LAPACK's `info`. The arguments have LAPACK's names and order; workspaces are allocated
// here. hetrf and hetrs of real matrices are sytrf and sytrs. geev has complex results for real
// matrices, and computes right vectors only, n by n, if `vr` is not null. getrs serves the emulated
// GPU's cuSOLVER.

#include <c10/macros/Export.h>
#include <c10/util/complex.h>

namespace at::native::blas {

#define AT_DECLARE_LAPACK(T, Real)                                                           \
  TORCH_API int potrf(char uplo, int n, T* a, int lda);                                      \
  TORCH_API int getrf(int m, int n, T* a, int lda, int* ipiv);                               \
  TORCH_API int getrs(char trans, int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb); \
  TORCH_API int geqrf(int m, int n, T* a, int lda, T* tau);                                  \
  TORCH_API int orgqr(int m, int n, int k, T* a, int lda, T* tau);                           \
  TORCH_API int syevd(char jobz, char uplo, int n, T* a, int lda, Real* w);                  \
  TORCH_API int gesdd(                                                                       \
      char jobz, int m, int n, T* a, int lda, Real* s, T* u, int ldu, T* vt, int ldvt);      \
  TORCH_API int ormqr(                                                                       \
      char side, char trans, int m, int n, int k, T* a, int lda, T* tau, T* c, int ldc);     \
  TORCH_API int sytrf(char uplo, int n, T* a, int lda, int* ipiv);                           \
  TORCH_API int hetrf(char uplo, int n, T* a, int lda, int* ipiv);                           \
  TORCH_API int sytrs(char uplo, int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb);  \
  TORCH_API int hetrs(char uplo, int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb);  \
  TORCH_API int geev(int n, T* a, int lda, c10::complex<Real>* w, c10::complex<Real>* vr);
AT_DECLARE_LAPACK(float, float)
AT_DECLARE_LAPACK(double, double)
AT_DECLARE_LAPACK(c10::complex<float>, float)
AT_DECLARE_LAPACK(c10::complex<double>, double)
#undef AT_DECLARE_LAPACK

// The parts of syevd for real matrices; stedc computes the vectors of a tridiagonal matrix.
#define AT_DECLARE_LAPACK_REAL(T)                                           \
  TORCH_API int sytrd(char uplo, int n, T* a, int lda, T* d, T* e, T* tau); \
  TORCH_API int stedc(int n, T* d, T* e, T* z, int ldz);                    \
  TORCH_API int laed1(int n, T* d, T* q, int ldq, int* indxq, T rho, int cutpnt);
AT_DECLARE_LAPACK_REAL(float)
AT_DECLARE_LAPACK_REAL(double)
#undef AT_DECLARE_LAPACK_REAL

} // namespace at::native::blas
