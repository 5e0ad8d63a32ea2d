// Symmetric matrices of a few registers per column: reflections make them tridiagonal, and QR steps
// with Wilkinson's shifts make them diagonal (Golub and Van Loan, "Matrix Computations", 8.3).

#include <ATen/native/SmallEigenvalues.h>
#include <ATen/native/cpu/FoldHalves.h>
#include <ATen/native/cpu/TridiagonalValues.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr int64_t kMax = kMaxSmallSpectrum;

// R registers for every column.
template <class T, int R>
struct Symmetric {
  static constexpr int64_t L = kLanes<T>, kStep = R * L;
  using V = Lanes<T>;

  alignas(64) T a[kMax * kStep];
  alignas(64) T q[kMax * kStep]; // columns that become the vectors
  alignas(64) T diagonal[kMax + L], off_diagonal[kMax + L];
  int64_t n;

  static V load(const T* column, int r) { return load_lanes<T>(column + r * L); }

  static T dot(const V* x, const V* y) {
    V sum = x[0] * y[0];
    for (int r = 1; r < R; ++r) {
      sum = at::vec::fma(x[r], y[r], sum);
    }
    return fold_halves<T, kLanes<T>>(sum, [](auto s, auto t) { return s + t; });
  }

  // The product of the columns from `from` on with v.
  static void multiply(const T* columns, const T* v, int64_t from, int64_t n, V* product) {
    V sums[2][R] = {};
    int64_t j = from;
    for (; j + 1 < n; j += 2) {
      for (int r = 0; r < R; ++r) {
        sums[0][r] = at::vec::fma(splat<T>(v[j]), load(columns + j * kStep, r), sums[0][r]);
        sums[1][r] =
            at::vec::fma(splat<T>(v[j + 1]), load(columns + (j + 1) * kStep, r), sums[1][r]);
      }
    }
    for (int r = 0; r < R; ++r) {
      if (j < n) {
        sums[0][r] = at::vec::fma(splat<T>(v[j]), load(columns + j * kStep, r), sums[0][r]);
      }
      product[r] = sums[0][r] + sums[1][r];
    }
  }

  // Makes `a` tridiagonal: a = q tridiagonal q^T.
  void reduce(bool vectors) {
    if (vectors) {
      std::fill_n(q, n * kStep, T(0));
      for (int64_t j = 0; j < n; ++j) {
        q[j * kStep + j] = 1;
      }
    }
    alignas(64) T v[kStep], w[kStep];
    for (int64_t k = 0; k + 1 < n; ++k) {
      const T* column = a + k * kStep;
      diagonal[k] = column[k];
      const T alpha = column[k + 1];
      std::copy_n(column, kStep, v);
      std::fill_n(v, k + 2, T(0));
      V reflector[R], product[R];
      for (int r = 0; r < R; ++r) {
        reflector[r] = load(v, r);
      }
      const T below = dot(reflector, reflector);
      if (k + 2 == n || below <= kNegligible<T> * kNegligible<T>) {
        off_diagonal[k] = alpha;
        continue; // what is below does not count, and no later step reads it
      }
      const T beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
      const T tau = (beta - alpha) / beta, factor = 1 / (alpha - beta);
      off_diagonal[k] = beta;
      for (int r = 0; r < R; ++r) {
        store_lanes<T>(v + r * L, reflector[r] * splat<T>(factor));
      }
      v[k + 1] = 1;
      for (int r = 0; r < R; ++r) {
        reflector[r] = load(v, r);
      }
      multiply(a, v, k + 1, n, product);
      for (int r = 0; r < R; ++r) {
        store_lanes<T>(w + r * L, product[r] * splat<T>(tau));
      }
      std::fill_n(w, k + 1, T(0));
      for (int r = 0; r < R; ++r) {
        product[r] = load(w, r);
      }
      const T half = tau / 2 * dot(product, reflector);
      for (int r = 0; r < R; ++r) {
        product[r] -= splat<T>(half) * reflector[r];
        store_lanes<T>(w + r * L, product[r]);
      }
      for (int64_t j = k + 1; j < n; ++j) {
        for (int r = 0; r < R; ++r) {
          T* to = a + j * kStep + r * L;
          store_lanes<T>(
              to, load_lanes<T>(to) - reflector[r] * splat<T>(w[j]) - product[r] * splat<T>(v[j]));
        }
      }
      if (vectors) {
        multiply(q, v, k + 1, n, product);
        for (int64_t j = k + 1; j < n; ++j) {
          for (int r = 0; r < R; ++r) {
            T* to = q + j * kStep + r * L;
            store_lanes<T>(to, load_lanes<T>(to) - product[r] * splat<T>(tau * v[j]));
          }
        }
      }
    }
    diagonal[n - 1] = a[(n - 1) * kStep + n - 1];
  }

  bool is_negligible(int64_t i) const {
    const T size = std::abs(off_diagonal[i]);
    return size <= kNegligible<T> ||
        size <=
        kEpsilon<T> * std::sqrt(std::abs(diagonal[i])) * std::sqrt(std::abs(diagonal[i + 1]));
  }

  // Diagonalizes with rotations of the columns of q.
  bool rotate() {
    int64_t steps = 0;
    for (int64_t hi = n - 1; hi > 0;) {
      if (is_negligible(hi - 1)) {
        off_diagonal[--hi] = 0;
        continue;
      }
      int64_t lo = hi - 1;
      while (lo > 0 && !is_negligible(lo - 1)) {
        --lo;
      }
      if (++steps > 30 * n) {
        return false;
      }
      T x = diagonal[lo] - last_shift(diagonal, hi, off_diagonal[hi - 1]), z = off_diagonal[lo];
      for (int64_t k = lo; k < hi; ++k) {
        const T square = x * x + z * z;
        if (k > lo && square <= kNegligible<T> * kNegligible<T>) {
          break;
        }
        const T inverse = 1 / std::sqrt(square);
        const T c = x * inverse, s = z * inverse;
        if (k > lo) {
          off_diagonal[k - 1] = square * inverse;
        }
        const T u = s * (diagonal[k + 1] - diagonal[k]) + 2 * c * off_diagonal[k];
        diagonal[k] += s * u;
        diagonal[k + 1] -= s * u;
        x = off_diagonal[k] = c * u - off_diagonal[k];
        if (k + 1 < hi) {
          z = s * off_diagonal[k + 1];
          off_diagonal[k + 1] *= c;
        }
        T *first = q + k * kStep, *second = first + kStep;
        for (int r = 0; r < R; ++r) {
          const V p = load(first, r), t = load(second, r);
          store_lanes<T>(first + r * L, splat<T>(c) * p + splat<T>(s) * t);
          store_lanes<T>(second + r * L, splat<T>(c) * t - splat<T>(s) * p);
        }
      }
    }
    return true;
  }
};

// A power of two near 1 / the largest of the numbers, or 0 if their size, or NaN, needs more care.
template <class T>
T scale_for(const T* numbers, int64_t count) {
  constexpr T kLeast = std::is_same_v<T, double> ? T(1e-280) : T(1e-30);
  Lanes<T> most{}, products{};
  for (int64_t i = 0; i < count; i += kLanes<T>) {
    const auto x = load_up_to<T>(numbers + i, count - i, T(0));
    const auto size = at::vec::abs(x);
    most = most < size ? size : most;
    products += x * T(0); // NaN if x is no finite number
  }
  const T largest = fold_lanes<T>(most, [](T x, T y) { return std::max(x, y); });
  const T sum = fold_lanes<T>(products, [](T x, T y) { return x + y; });
  if (!(largest > kLeast && largest < 1 / kLeast && sum == 0)) {
    return 0;
  }
  int exponent;
  std::frexp(largest, &exponent);
  return std::ldexp(T(1), -exponent);
}

template <class T, int R>
bool eigh(const SmallEighCall& call) {
  using S = Symmetric<T, R>;
  S job;
  const int64_t n = job.n = call.n;
  T* given = static_cast<T*>(call.a);
  for (int64_t j = 0; j < n; ++j) {
    const T* column = given + j * n;
    T* to = job.a + j * S::kStep;
    std::fill_n(to + n, S::kStep - n, T(0));
    for (int64_t i = call.upper ? 0 : j; i < (call.upper ? j + 1 : n); ++i) {
      to[i] = column[i];
      job.a[i * S::kStep + j] = column[i];
    }
  }
  const T scale = scale_for(job.a, n * S::kStep);
  if (scale == 0) {
    return false;
  }
  for (int64_t i = 0; i < n * S::kStep; i += S::L) {
    store_lanes<T>(job.a + i, load_lanes<T>(job.a + i) * splat<T>(scale));
  }
  job.reduce(call.vectors);
  if (!(call.vectors ? job.rotate() : find_eigenvalues(job.diagonal, job.off_diagonal, n))) {
    return false;
  }
  int order[kMax];
  std::iota(order, order + n, 0);
  std::sort(order, order + n, [&](int i, int j) { return job.diagonal[i] < job.diagonal[j]; });
  T* values = static_cast<T*>(call.values);
  for (int64_t j = 0; j < n; ++j) {
    values[j] = job.diagonal[order[j]] / scale;
    if (call.vectors) {
      std::copy_n(job.q + order[j] * S::kStep, n, given + j * n);
    }
  }
  return true;
}

template <int R>
bool singular_values(const SmallSvdvalsCall& call, double scale) {
  using S = Symmetric<double, R>;
  S job;
  const int64_t n = job.n = std::min(call.m, call.n), m = std::max(call.m, call.n);
  std::fill_n(job.a, n * S::kStep, 0.0);
  // One row of the taller of A and A^T at a time.
  alignas(64) double row[S::kStep] = {};
  const int64_t step = call.m >= call.n ? call.m : 1, along = call.m >= call.n ? 1 : call.m;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      row[j] = static_cast<double>(call.a[i * along + j * step]) * scale;
    }
    for (int64_t j = 0; j < n; ++j) {
      for (int r = 0; r < R; ++r) {
        double* to = job.a + j * S::kStep + r * S::L;
        store_lanes<double>(
            to, at::vec::fma(splat<double>(row[j]), S::load(row, r), load_lanes<double>(to)));
      }
    }
  }
  job.reduce(false);
  if (!find_eigenvalues(job.diagonal, job.off_diagonal, n)) {
    return false;
  }
  std::sort(job.diagonal, job.diagonal + n);
  for (int64_t j = 0; j < n; ++j) {
    const double square = std::max(job.diagonal[n - 1 - j], 0.0);
    call.values[j] = static_cast<float>(std::sqrt(square) / scale);
  }
  return true;
}

// Calls f with the number of registers that n numbers need, a power of two, as a constant.
template <int R, class T, class F>
bool with_registers(int64_t n, const F& f) {
  if constexpr (R * kLanes<T> < kMax) {
    if (n > R * kLanes<T>) {
      return with_registers<2 * R, T>(n, f);
    }
  }
  return f(std::integral_constant<int, R>{});
}

bool small_eigh_kernel(const SmallEighCall& call) {
  return call.is_double
      ? with_registers<1, double>(call.n, [&](auto r) { return eigh<double, r.value>(call); })
      : with_registers<1, float>(call.n, [&](auto r) { return eigh<float, r.value>(call); });
}

bool small_svdvals_kernel(const SmallSvdvalsCall& call) {
  const double scale = scale_for(call.a, call.m * call.n);
  return scale != 0 && with_registers<1, double>(std::min(call.m, call.n), [&](auto r) {
           return singular_values<r.value>(call, scale);
         });
}

} // namespace

REGISTER_DISPATCH(small_eigh_stub, &small_eigh_kernel)
REGISTER_DISPATCH(small_svdvals_stub, &small_svdvals_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
