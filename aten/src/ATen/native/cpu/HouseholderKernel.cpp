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

  alignas(64) T v[kMaxHouseholderRows] = {};
  int64_t rows, row; // v is 1 in `row` and 0 above

  void take(const T* column, int64_t from) {
    row = from;
    std::fill_n(v, from, T(0));
    std::copy_n(column + from, rows - from, v + from);
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

  T dot(const T* column) const {
    Lanes<T> sum{};
    each([&](int64_t i, int64_t count) {
      sum = at::vec::fma(load_lanes<T>(v + i), part(column + i, count), sum);
    });
    return fold_halves<T, kLanes<T>>(sum, [](auto a, auto b) { return a + b; });
  }

  void reflect(T* column, T tau) const {
    const T factor = -tau * dot(column);
    each([&](int64_t i, int64_t count) {
      const Lanes<T> sum =
          at::vec::fma(splat<T>(factor), load_lanes<T>(v + i), part(column + i, count));
      if (count == L) {
        store_lanes<T>(column + i, sum);
      } else {
        at::vec::store_first<T, L>(column + i, sum, count);
      }
    });
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
  const int64_t rows = call.rows;
  Reflector<T> h;
  h.rows = rows;
  for (int64_t k = 0; k < std::min(rows, call.columns); ++k) {
    T* column = a + k * rows;
    h.take(column, k);
    const T value = h.normalize(tau + k);
    std::copy_n(h.v + k + 1, rows - k - 1, column + k + 1);
    column[k] = value;
    for (int64_t j = k + 1; j < call.columns && tau[k] != 0; ++j) {
      h.reflect(a + j * rows, tau[k]);
    }
  }
}

template <class T>
void form(const HouseholderCall& call) {
  T* q = static_cast<T*>(call.a);
  const T* tau = static_cast<const T*>(call.tau);
  const int64_t rows = call.rows;
  for (int64_t j = call.count; j < call.columns; ++j) {
    std::fill_n(q + j * rows, rows, T(0));
    q[j * rows + j] = 1;
  }
  Reflector<T> h;
  h.rows = rows;
  for (int64_t k = call.count - 1; k >= 0; --k) {
    T* column = q + k * rows;
    h.take(column, k);
    h.v[k] = 1;
    for (int64_t j = k + 1; j < call.columns; ++j) {
      h.reflect(q + j * rows, tau[k]);
    }
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
