#pragma once

// Products of parts of the column-major matrices that LAPACK's conventions use.

#include <ATen/native/Blas.h>

#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// The distances between adjacent rows and columns; one of them is 1.
struct Steps {
  int64_t row, col;
};

template <class T>
struct Part {
  T* data;
  Steps steps;
};

// c[m, n] = alpha a[m, k] b[k, n] + beta c, in threads outside of parallel regions.
template <class T>
void multiply(
    int64_t m, int64_t n, int64_t k, T alpha, Part<const T> a, Part<const T> b, T beta, Part<T> c) {
  gemm(
      c10::CppTypeToScalarType<T>::value,
      Gemm{
          m, n, k, a.data, a.steps.row, a.steps.col, b.data, b.steps.row, b.steps.col, c.data,
          c.steps.row, c.steps.col},
      alpha, beta);
}

} // namespace at::native
