// BLAS=Builtin: no library. Real products run in the kernel of PackedGemm.h, complex ones
// in plain loops, and there is no LAPACK. For small wheels, such as those with SELECTED_OP_LIST.
#include <ATen/native/Blas.h>
#include <ATen/native/blas/BlasLibrary.h>

#include <ATen/native/blas/LapackCalls.h>

#include <vector>

namespace at::native::blas {
namespace {

template <class T>
int64_t row_step(const Matrix<T>& x) {
  return x.transpose == Transpose::No ? x.leading : 1;
}
template <class T>
int64_t col_step(const Matrix<T>& x) {
  return x.transpose == Transpose::No ? 1 : x.leading;
}

template <class T>
void scale(T* data, int64_t count, int64_t step, T by) {
  for (int64_t i = 0; i < count; ++i) {
    data[i * step] = by == T(0) ? T(0) : data[i * step] * by;
  }
}

template <class T>
void real_gemm(
    c10::ScalarType dtype, int m, int n, int k, T alpha, Matrix<const T> a, Matrix<const T> b,
    T beta, Matrix<T> c) {
  if (k == 0) {
    for (int i = 0; i < m; ++i) {
      scale(c.data + static_cast<int64_t>(i) * c.leading, n, 1, beta);
    }
    return;
  }
  const Gemm job{m,      n,           k,           a.data, row_step(a), col_step(a),
                 b.data, row_step(b), col_step(b), c.data, c.leading,   1};
  built_in_gemm_stub.on_host(dtype, job, alpha, beta);
}

template <class T>
T element(const Matrix<const T>& x, int64_t row, int64_t column) {
  const T value = x.data[row * row_step(x) + column * col_step(x)];
  return x.transpose == Transpose::Conjugate ? std::conj(value) : value;
}

template <class T>
void complex_gemm(
    int m, int n, int k, T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<T> c) {
  for (int64_t i = 0; i < m; ++i) {
    T* row = c.data + i * c.leading;
    scale(row, n, 1, beta);
    for (int64_t p = 0; p < k; ++p) {
      const T factor = alpha * element(a, i, p);
      for (int64_t j = 0; j < n; ++j) {
        row[j] += factor * element(b, p, j);
      }
    }
  }
}

template <class T>
void real_gemv(
    c10::ScalarType dtype, int rows, int cols, T alpha, Matrix<const T> a, const T* x, int x_step,
    T beta, T* y, int y_step) {
  if (a.transpose == Transpose::Yes) { // y has one element for each column
    scale(y, cols, y_step, beta);
    for (int64_t i = 0; i < rows; ++i) {
      const T factor = alpha * x[i * x_step];
      const T* row = a.data + i * a.leading;
      for (int64_t j = 0; j < cols; ++j) {
        y[j * y_step] += factor * row[j];
      }
    }
    return;
  }
  std::vector<T> adjacent;
  if (x_step != 1) {
    for (int64_t j = 0; j < cols; ++j) {
      adjacent.push_back(x[j * x_step]);
    }
    x = adjacent.data();
  }
  for (int64_t i = 0; i < rows; ++i) {
    const T sum = static_cast<T>(dot_stub.on_host(dtype, cols, a.data + i * a.leading, x));
    y[i * y_step] = alpha * sum + (beta == T(0) ? T(0) : beta * y[i * y_step]);
  }
}

} // namespace

void gemm(
    int m, int n, int k, float alpha, Matrix<const float> a, Matrix<const float> b, float beta,
    Matrix<float> c) {
  real_gemm(c10::ScalarType::Float, m, n, k, alpha, a, b, beta, c);
}

void gemm(
    int m, int n, int k, double alpha, Matrix<const double> a, Matrix<const double> b, double beta,
    Matrix<double> c) {
  real_gemm(c10::ScalarType::Double, m, n, k, alpha, a, b, beta, c);
}

void gemm(
    int m, int n, int k, c10::complex<float> alpha, Matrix<const c10::complex<float>> a,
    Matrix<const c10::complex<float>> b, c10::complex<float> beta, Matrix<c10::complex<float>> c) {
  complex_gemm(m, n, k, alpha, a, b, beta, c);
}

void gemm(
    int m, int n, int k, c10::complex<double> alpha, Matrix<const c10::complex<double>> a,
    Matrix<const c10::complex<double>> b, c10::complex<double> beta,
    Matrix<c10::complex<double>> c) {
  complex_gemm(m, n, k, alpha, a, b, beta, c);
}

void gemv(
    int rows, int cols, float alpha, Matrix<const float> a, const float* x, int x_step, float beta,
    float* y, int y_step) {
  real_gemv(c10::ScalarType::Float, rows, cols, alpha, a, x, x_step, beta, y, y_step);
}

void gemv(
    int rows, int cols, double alpha, Matrix<const double> a, const double* x, int x_step,
    double beta, double* y, int y_step) {
  real_gemv(c10::ScalarType::Double, rows, cols, alpha, a, x, x_step, beta, y, y_step);
}

void use_one_thread() {}

std::string description() {
  return "built-in kernels";
}

bool has_lapack() {
  return false;
}

bool is_mkl() {
  return false;
}

} // namespace at::native::blas
