#pragma once

// LAPACK's routines, with one overload per dtype. Matrices are column-major, and every routine
// returns LAPACK's `info`. The arguments have LAPACK's names and order; workspaces are allocated
// here.

#include <c10/util/complex.h>

namespace at::native::blas {

#define AT_DECLARE_LAPACK(T, Real)                                                            \
  int potrf(char uplo, int n, T* a, int lda);                                                 \
  int getrf(int m, int n, T* a, int lda, int* ipiv);                                          \
  int getrs(char trans, int n, int nrhs, T* a, int lda, int* ipiv, T* b, int ldb);            \
  int trtrs(char uplo, char trans, char diag, int n, int nrhs, T* a, int lda, T* b, int ldb); \
  int geqrf(int m, int n, T* a, int lda, T* tau);                                             \
  int orgqr(int m, int n, int k, T* a, int lda, T* tau);                                      \
  int syevd(char jobz, char uplo, int n, T* a, int lda, Real* w);                             \
  int gesdd(char jobz, int m, int n, T* a, int lda, Real* s, T* u, int ldu, T* vt, int ldvt);
AT_DECLARE_LAPACK(float, float)
AT_DECLARE_LAPACK(double, double)
AT_DECLARE_LAPACK(c10::complex<float>, float)
AT_DECLARE_LAPACK(c10::complex<double>, double)
#undef AT_DECLARE_LAPACK

} // namespace at::native::blas
