// The calls of BlasLibrary.h for a library with a CBLAS interface. The including file first
// includes the library's header and defines CBLAS(name), which gives the name of a function of that
// library.

#ifndef CBLAS
#error "define CBLAS(name) before including CBlasCalls.h"
#endif

#include <ATen/native/blas/BlasLibrary.h>

namespace at::native::blas {
namespace {

constexpr CBLAS_TRANSPOSE cblas(Transpose transpose) {
  return transpose == Transpose::No ? CblasNoTrans
      : transpose == Transpose::Yes ? CblasTrans
                                    : CblasConjTrans;
}

} // namespace

void gemm(
    int m, int n, int k, float alpha, Matrix<const float> a, Matrix<const float> b, float beta,
    Matrix<float> c) {
  CBLAS(sgemm)
  (CblasRowMajor, cblas(a.transpose), cblas(b.transpose), m, n, k, alpha, a.data, a.leading, b.data,
   b.leading, beta, c.data, c.leading);
}

void gemm(
    int m, int n, int k, double alpha, Matrix<const double> a, Matrix<const double> b, double beta,
    Matrix<double> c) {
  CBLAS(dgemm)
  (CblasRowMajor, cblas(a.transpose), cblas(b.transpose), m, n, k, alpha, a.data, a.leading, b.data,
   b.leading, beta, c.data, c.leading);
}

void gemm(
    int m, int n, int k, c10::complex<float> alpha, Matrix<const c10::complex<float>> a,
    Matrix<const c10::complex<float>> b, c10::complex<float> beta, Matrix<c10::complex<float>> c) {
  CBLAS(cgemm)
  (CblasRowMajor, cblas(a.transpose), cblas(b.transpose), m, n, k, &alpha, a.data, a.leading,
   b.data, b.leading, &beta, c.data, c.leading);
}

void gemm(
    int m, int n, int k, c10::complex<double> alpha, Matrix<const c10::complex<double>> a,
    Matrix<const c10::complex<double>> b, c10::complex<double> beta,
    Matrix<c10::complex<double>> c) {
  CBLAS(zgemm)
  (CblasRowMajor, cblas(a.transpose), cblas(b.transpose), m, n, k, &alpha, a.data, a.leading,
   b.data, b.leading, &beta, c.data, c.leading);
}

void gemv(
    int rows, int cols, float alpha, Matrix<const float> a, const float* x, int x_step, float beta,
    float* y, int y_step) {
  CBLAS(sgemv)
  (CblasRowMajor, cblas(a.transpose), rows, cols, alpha, a.data, a.leading, x, x_step, beta, y,
   y_step);
}

void gemv(
    int rows, int cols, double alpha, Matrix<const double> a, const double* x, int x_step,
    double beta, double* y, int y_step) {
  CBLAS(dgemv)
  (CblasRowMajor, cblas(a.transpose), rows, cols, alpha, a.data, a.leading, x, x_step, beta, y,
   y_step);
}

} // namespace at::native::blas
