#include <ATen/native/QrBlocks.h>

#include <ATen/Parallel.h>
#include <ATen/native/ColumnProducts.h>
#include <ATen/native/Householder.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/blas/Lapack.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace at::native {
namespace {

constexpr int64_t kWidth = kMaxHouseholderColumns; // columns of a panel

template <class T>
void factor_panel(T* a, int64_t m, int64_t n, int64_t step, T* tau) {
  if (suits_householder(m, n)) {
    householder_stub.on_host(
        HouseholderCall{a, tau, m, n, 0, step, /*factors=*/true, std::is_same_v<T, double>});
  } else {
    blas::geqrf(to_int(m), to_int(n), a, to_int(step), tau);
  }
}

template <class T>
void form_panel(T* q, int64_t m, int64_t n, int64_t k, int64_t step, const T* tau) {
  if (suits_householder(m, n)) {
    householder_stub.on_host(HouseholderCall{
        q, const_cast<T*>(tau), m, n, k, step, /*factors=*/false, std::is_same_v<T, double>});
  } else {
    blas::orgqr(
        to_int(m), to_int(n), to_int(k), q, to_int(step), const_cast<T*>(tau)); // only reads it
  }
}

// The reflectors of one panel. The products are those of the transposes: columns of
// LAPACK's matrices are rows.
template <class T>
class Panel {
 public:
  explicit Panel(int64_t rows, int64_t columns) : v_(rows * kWidth), work_(columns * 2 * kWidth) {}

  // Copies V, whose columns begin `step` apart, and computes T from V^T V.
  void take(const T* a, int64_t rows, int64_t width, int64_t step, const T* tau) {
    rows_ = rows;
    width_ = width;
    for (int64_t j = 0; j < width; ++j) {
      T* column = v_.data() + j * rows;
      std::fill_n(column, j, T(0));
      column[j] = 1;
      std::copy_n(a + j * step + j + 1, rows - j - 1, column + j + 1);
    }
    T products[kWidth * kWidth];
    multiply<T>(
        width, width, rows, T(1), {v_.data(), {rows, 1}}, {v_.data(), {1, rows}}, T(0),
        {products, {width, 1}});
    // T's column j is -tau_j T (V^T v_j) above the diagonal; t_ holds rows.
    std::fill_n(t_, width * width, T(0));
    for (int64_t j = 0; j < width; ++j) {
      t_[j * width + j] = tau[j];
      for (int64_t i = 0; i < j; ++i) {
        T sum = 0;
        for (int64_t k = i; k < j; ++k) {
          sum += t_[i * width + k] * products[k * width + j];
        }
        t_[i * width + j] = -tau[j] * sum;
      }
    }
  }

  // c = (I - V T V^T) c, or with T^T, for `count` columns that begin `step` apart.
  void apply(T* c, int64_t step, int64_t count, bool transposed) {
    const int64_t grain = std::max<int64_t>(8, (int64_t{1} << 17) / (rows_ * width_));
    at::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
      const int64_t n = end - begin, w = width_, r = rows_;
      const Steps narrow{w, 1};
      T* first = work_.data() + begin * 2 * w;
      T* second = first + n * w;
      T* to = c + begin * step;
      multiply<T>(n, w, r, T(1), {to, {step, 1}}, {v_.data(), {1, r}}, T(0), {first, narrow});
      multiply<T>(
          n, w, w, T(1), {first, narrow}, {t_, transposed ? narrow : Steps{1, w}}, T(0),
          {second, narrow});
      multiply<T>(n, r, w, T(-1), {second, narrow}, {v_.data(), {r, 1}}, T(1), {to, {step, 1}});
    });
  }

 private:
  std::vector<T> v_, work_;
  T t_[kWidth * kWidth];
  int64_t rows_ = 0, width_ = 0;
};

} // namespace

template <class T>
void factor_qr(T* a, int64_t m, int64_t n, T* tau) {
  const int64_t least = std::min(m, n);
  if (n <= kWidth) {
    return factor_panel(a, m, n, m, tau);
  }
  Panel<T> panel(m, n);
  for (int64_t k = 0; k < least; k += kWidth) {
    const int64_t width = std::min(kWidth, least - k), rest = n - k - width;
    T* corner = a + k * m + k;
    factor_panel(corner, m - k, width, m, tau + k);
    if (rest > 0) {
      panel.take(corner, m - k, width, m, tau + k);
      panel.apply(corner + width * m, m, rest, /*transposed=*/true);
    }
  }
}

template <class T>
void form_q(T* q, int64_t m, int64_t n, int64_t k, const T* tau) {
  if (n <= kWidth) {
    return form_panel(q, m, n, k, m, tau);
  }
  for (int64_t j = k; j < n; ++j) {
    std::fill_n(q + j * m, m, T(0));
    q[j * m + j] = 1;
  }
  Panel<T> panel(m, n);
  for (int64_t begin = k > 0 ? (k - 1) / kWidth * kWidth : -1; begin >= 0; begin -= kWidth) {
    const int64_t width = std::min(kWidth, k - begin), rest = n - begin - width;
    T* corner = q + begin * m + begin;
    if (rest > 0) {
      panel.take(corner, m - begin, width, m, tau + begin);
      panel.apply(corner + width * m, m, rest, /*transposed=*/false);
    }
    form_panel(corner, m - begin, width, width, m, tau + begin);
    for (int64_t j = begin; j < begin + width; ++j) {
      std::fill_n(q + j * m, begin, T(0));
    }
  }
}

template <class T>
void apply_q(
    const T* a, int64_t a_step, int64_t m, int64_t k, const T* tau, T* c, int64_t c_step,
    int64_t count, bool transposed) {
  Panel<T> panel(m, count);
  const int64_t panels = (k + kWidth - 1) / kWidth;
  for (int64_t i = 0; i < panels; ++i) {
    const int64_t begin = (transposed ? i : panels - 1 - i) * kWidth;
    const T* corner = a + begin * a_step + begin;
    panel.take(corner, m - begin, std::min(kWidth, k - begin), a_step, tau + begin);
    panel.apply(c + begin, c_step, count, transposed);
  }
}

#define AT_INSTANTIATE_QR(T)                                     \
  template void factor_qr(T*, int64_t, int64_t, T*);             \
  template void form_q(T*, int64_t, int64_t, int64_t, const T*); \
  template void apply_q(const T*, int64_t, int64_t, int64_t, const T*, T*, int64_t, int64_t, bool);
AT_INSTANTIATE_QR(float)
AT_INSTANTIATE_QR(double)
#undef AT_INSTANTIATE_QR

} // namespace at::native
