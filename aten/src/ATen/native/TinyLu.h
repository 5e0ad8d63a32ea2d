#pragma once

// LU factorizations of real matrices with up to four rows. Programs factor thousands of them at
// once, and loops of constant length are several times as fast as kernels for any size.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace at::native {

constexpr int64_t kMaxTinyLu = 4;

// Calls f with n, which is 1 to kMaxTinyLu, as a constant.
template <class F>
auto with_tiny_size(int64_t n, const F& f) {
  switch (n) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    default:
      return f(std::integral_constant<int, 4>());
  }
}

// LAPACK's getrf of N adjacent columns of N numbers. Returns `info`.
template <int N, class T>
int factor_tiny(T* a, int32_t* pivots) {
  int info = 0;
  for (int k = 0; k < N; ++k) {
    T* column = a + k * N;
    int pivot = k;
    for (int i = k + 1; i < N; ++i) {
      pivot = std::abs(column[i]) > std::abs(column[pivot]) ? i : pivot;
    }
    pivots[k] = pivot + 1;
    if (column[pivot] == 0) {
      info = info == 0 ? k + 1 : info;
      continue;
    }
    for (int j = 0; j < N; ++j) {
      std::swap(a[j * N + k], a[j * N + pivot]);
    }
    for (int i = k + 1; i < N; ++i) {
      column[i] /= column[k];
    }
    for (int j = k + 1; j < N; ++j) {
      for (int i = k + 1; i < N; ++i) {
        a[j * N + i] -= column[i] * a[j * N + k];
      }
    }
  }
  return info;
}

// Solves L U x = b for each of `count` adjacent columns. The factors share one matrix, whose
// elements are `row` and `col` apart.
template <int N, class T>
void solve_tiny(const T* given, int64_t row, int64_t col, T* x, int64_t count) {
  T factors[N][N], inverse[N];
  bool divides = false; // where the inverse of an element of the diagonal may overflow
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      factors[i][j] = given[i * row + j * col];
    }
    inverse[i] = 1 / factors[i][i];
    divides |= !(std::abs(factors[i][i]) >= std::numeric_limits<T>::min());
  }
  for (int64_t k = 0; k < count; ++k, x += N) {
    T to[N];
    for (int i = 0; i < N; ++i) {
      to[i] = x[i];
      for (int j = 0; j < i; ++j) {
        to[i] -= factors[i][j] * to[j];
      }
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int j = i + 1; j < N; ++j) {
        to[i] -= factors[i][j] * to[j];
      }
      to[i] = divides ? to[i] / factors[i][i] : to[i] * inverse[i];
    }
    std::copy_n(to, N, x);
  }
}

} // namespace at::native
