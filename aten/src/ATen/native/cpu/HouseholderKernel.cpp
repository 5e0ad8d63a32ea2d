// Householder's reflections H = I - tau v v^T, one at a time (Golub and Van Loan, "Matrix
// Computations", 5.1 and 5.2). v has zeros above its row, so that registers start at the top of
// aligned columns.

#include <ATen/native/Householder.h>
#include <ATen/native/cpu/FoldHalves.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <class T>
struct Reflector {
  static constexpr int64_t L = kLanes<T>;

  alignas(64) T v[kMaxHouseholderRows + L];
  int64_t rows, row; // v is 1 in `row` and 0 above

  void take(const T* column, int64_t from) {
    row = from;
    std::fill_n(v + from / L * L, from % L, T(0));
    std::copy_n(column + from, rows - from, v + from);
    std::fill_n(v + rows, L, T(0));
  }

  // Calls use(i, count) for the registers that are not zero.
  template <class F>
  void each(const F& use) const {
    for (int64_t i = row / L * L; i < rows; i += L) {
      use(i, std::min(L, rows - i));
    }
  }

  static Lanes<T> part(const T* p, int64_t count) {
    return count == L ? load_lanes<T>(p) : at::vec::load_first<T, L>(p, count);
  }

  // The products of v with N columns.
  template <int N>
  void dots(const T* column, int64_t step, T* results) const {
    Lanes<T> sums[N] = {};
    each([&](int64_t i, int64_t count) {
      const auto factor = load_lanes<T>(v + i);
      for (int j = 0; j < N; ++j) {
        sums[j] = at::vec::fma(factor, part(column + j * step + i, count), sums[j]);
      }
    });
    for (int j = 0; j < N; ++j) {
      results[j] = fold_halves<T, kLanes<T>>(sums[j], [](auto a, auto b) { return a + b; });
    }
  }

  T dot(const T* column) const {
    T result;
    dots<1>(column, 0, &result);
    return result;
  }

  template <int N>
  void reflect_group(T* column, int64_t step, T tau) const {
    T products[N];
    dots<N>(column, step, products);
    Lanes<T> factors[N];
    for (int j = 0; j < N; ++j) {
      factors[j] = splat<T>(-tau * products[j]);
    }
    each([&](int64_t i, int64_t count) {
      const auto reflector = load_lanes<T>(v + i);
      for (int j = 0; j < N; ++j) {
        T* to = column + j * step + i;
        const auto sum = at::vec::fma(factors[j], reflector, part(to, count));
        if (count == L) {
          store_lanes<T>(to, sum);
        } else {
          at::vec::store_first<T, L>(to, sum, count);
        }
      }
    });
  }

  // Reflects `count` columns.
  void reflect(T* column, int64_t step, int64_t count, T tau) const {
    for (; count >= 4; count -= 4, column += 4 * step) {
      reflect_group<4>(column, step, tau);
    }
    for (; count > 0; --count, column += step) {
      reflect_group<1>(column, step, tau);
    }
  }

  // Makes the reflector that turns v into a multiple of a unit vector; returns that multiple.
  T normalize(T* tau) {
    constexpr T kLeast = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    T scale = 1;
    if (const T square = dot(v); !(square > kLeast && square < std::numeric_limits<T>::max())) {
      T largest = 0;
      for (int64_t i = row; i < rows; ++i) {
        largest = std::max(largest, std::abs(v[i]));
      }
      if (largest > 0 && std::isfinite(largest)) {
        scale = largest;
        for (int64_t i = row; i < rows; ++i) {
          v[i] /= scale;
        }
      }
    }
    const T alpha = v[row];
    v[row] = 0;
    const T below = dot(v);
    v[row] = 1;
    if (below == 0) {
      *tau = 0;
      return alpha * scale;
    }
    const T beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
    *tau = (beta - alpha) / beta;
    const T factor = 1 / (alpha - beta);
    for (int64_t i = row + 1; i < rows; ++i) {
      v[i] *= factor;
    }
    return beta * scale;
  }
};

template <class T>
void factor(const HouseholderCall& call) {
  T* a = static_cast<T*>(call.a);
  T* tau = static_cast<T*>(call.tau);
  const int64_t rows = call.rows, step = call.step;
  Reflector<T> h;
  h.rows = rows;
  for (int64_t k = 0; k < std::min(rows, call.columns); ++k) {
    T* column = a + k * step;
    h.take(column, k);
    const T value = h.normalize(tau + k);
    std::copy_n(h.v + k + 1, rows - k - 1, column + k + 1);
    column[k] = value;
    if (tau[k] != 0) {
      h.reflect(column + step, step, call.columns - k - 1, tau[k]);
    }
  }
}

template <class T>
void form(const HouseholderCall& call) {
  T* q = static_cast<T*>(call.a);
  const T* tau = static_cast<const T*>(call.tau);
  const int64_t rows = call.rows, step = call.step;
  for (int64_t j = call.count; j < call.columns; ++j) {
    std::fill_n(q + j * step, rows, T(0));
    q[j * step + j] = 1;
  }
  Reflector<T> h;
  h.rows = rows;
  for (int64_t k = call.count - 1; k >= 0; --k) {
    T* column = q + k * step;
    h.take(column, k);
    h.v[k] = 1;
    h.reflect(column + step, step, call.columns - k - 1, tau[k]);
    std::fill_n(column, k, T(0));
    column[k] = 1 - tau[k];
    for (int64_t i = k + 1; i < rows; ++i) {
      column[i] = -tau[k] * h.v[i];
    }
  }
}

template <class T>
void run(const HouseholderCall& call) {
  call.factors ? factor<T>(call) : form<T>(call);
}

void householder_kernel(const HouseholderCall& call) {
  call.is_double ? run<double>(call) : run<float>(call);
}

} // namespace

REGISTER_DISPATCH(householder_stub, &householder_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
