#pragma once

// The linear algebra library that BLAS= chose, behind one interface. Each file of this folder
// implements it for one library, and the build compiles the one that was chosen. Matrices are
// row-major; leading dimensions and steps are in elements.

#include <c10/macros/Export.h>
#include <c10/util/complex.h>

#include <string>

namespace at::native::blas {

enum class Transpose { No, Yes, Conjugate }; // Conjugate is the adjoint

template <class T>
struct Matrix {
  T* data;
  int leading;
  Transpose transpose = Transpose::No;
};

// c[m, n] = alpha op(a)[m, k] op(b)[k, n] + beta c
void gemm(
    int m, int n, int k, float alpha, Matrix<const float> a, Matrix<const float> b, float beta,
    Matrix<float> c);
void gemm(
    int m, int n, int k, double alpha, Matrix<const double> a, Matrix<const double> b, double beta,
    Matrix<double> c);
void gemm(
    int m, int n, int k, c10::complex<float> alpha, Matrix<const c10::complex<float>> a,
    Matrix<const c10::complex<float>> b, c10::complex<float> beta, Matrix<c10::complex<float>> c);
void gemm(
    int m, int n, int k, c10::complex<double> alpha, Matrix<const c10::complex<double>> a,
    Matrix<const c10::complex<double>> b, c10::complex<double> beta,
    Matrix<c10::complex<double>> c);

// y = alpha op(a) x + beta y for a matrix of `rows` rows and `cols` columns before op
void gemv(
    int rows, int cols, float alpha, Matrix<const float> a, const float* x, int x_step, float beta,
    float* y, int y_step);
void gemv(
    int rows, int cols, double alpha, Matrix<const double> a, const double* x, int x_step,
    double beta, double* y, int y_step);

// Keeps every call on the calling thread. Our parallel_for splits the work, and two pools of
// threads would compete. Call it once, before any other function.
void use_one_thread();

// The name and version of the library, for torch.__config__.show().
TORCH_API std::string description();

// Whether the library also has LAPACK's routines.
bool has_lapack();

// Whether the library is MKL.
bool is_mkl();

} // namespace at::native::blas
