// Householder's reduction of a symmetric matrix (Golub and Van Loan, "Matrix Computations", 8.3.1)
// in one pass over the matrix for each column: the update of the column before, of rank two, and
// the product with the new reflector. Registers are columns of tiles. Those below the diagonal
// stand for both halves of the matrix; those on the diagonal are whole.

#include <ATen/native/Tridiagonal.h>
#include <ATen/native/cpu/FoldHalves.h>
#include <ATen/native/cpu/TridiagonalValues.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

#if defined(CPU_CAPABILITY_AVX512)
constexpr int kColumns = 4; // that are passed at once: their factors fill the registers
#else
constexpr int kColumns = 2;
#endif

// The sums of pieces of two registers, which become pieces of half the length of one.
template <class T, int kPiece>
Lanes<T> merge_pieces(Lanes<T> a, Lanes<T> b) {
  constexpr int L = kLanes<T>, kHalf = kPiece / 2;
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return Lanes<T>(__builtin_shufflevector(a, b, (i / kHalf * kPiece + i % kHalf)...)) +
        Lanes<T>(__builtin_shufflevector(a, b, (i / kHalf * kPiece + kHalf + i % kHalf)...));
  }
  (std::make_integer_sequence<int, L>{});
}

// Adds the sum of each of kColumns registers to a number.
template <class T>
void add_sums(const Lanes<T> (&sums)[kColumns], T* to) {
  constexpr int L = kLanes<T>;
  auto merged = merge_pieces<T, L>(sums[0], sums[1]);
  if constexpr (kColumns == 4) {
    merged = merge_pieces<T, L / 2>(merged, merge_pieces<T, L>(sums[2], sums[3]));
  }
  alignas(64) T parts[L];
  store_lanes<T>(parts, merged);
  for (int c = 0; c < kColumns; ++c) {
    T sum = 0;
    for (int i = 0; i < L / kColumns; ++i) {
      sum += parts[c * (L / kColumns) + i];
    }
    to[c] += sum;
  }
}

template <class T>
struct Reduction {
  static constexpr int64_t L = kLanes<T>;

  int64_t n, step; // `step` rows and columns are whole registers: zeros follow the matrix
  T* a;
  T *v, *w; // the update that is due: a -= v w^T + w v^T
  T *reflector, *product;

  explicit Reduction(const TridiagonalCall& call)
      : n(call.n),
        step((n + L - 1) / L * L),
        a(static_cast<T*>(call.workspace)),
        v(a + step * step),
        w(v + step),
        reflector(w + step),
        product(reflector + step) {}

  // Copies one triangle and returns the scale.
  T copy(const T* given, bool upper) {
    const int64_t row_step = upper ? n : 1, column_step = upper ? 1 : n;
    Lanes<T> most{}, products{};
    for (int64_t j = 0; j < step; ++j) {
      const int64_t tile = j / L * L;
      T* to = a + j * step;
      for (int64_t i = tile; i < step; ++i) {
        const int64_t row = std::max(i, j), column = std::min(i, j);
        to[i] = row >= n ? T(0) : given[row * row_step + column * column_step];
      }
      for (int64_t i = tile; i < step; i += L) {
        const auto x = load_lanes<T>(to + i);
        const auto size = x < 0 ? -x : x;
        most = most < size ? size : most;
        products += x * T(0); // NaN if x is no finite number
      }
    }
    const T largest = fold_lanes<T>(most, [](T x, T y) { return std::max(x, y); });
    const T sum = fold_lanes<T>(products, [](T x, T y) { return x + y; });
    constexpr T kLeast = std::is_same_v<T, double> ? T(1e-280) : T(1e-30);
    if (!(largest > kLeast && largest < 1 / kLeast && sum == 0)) {
      return 0;
    }
    int exponent;
    std::frexp(largest, &exponent);
    const T scale = std::ldexp(T(1), -exponent);
    for (int64_t j = 0; j < step; ++j) {
      for (int64_t i = j / L * L; i < step; i += L) {
        store_lanes<T>(a + j * step + i, load_lanes<T>(a + j * step + i) * splat<T>(scale));
      }
    }
    return scale;
  }

  // Updates the columns from the tile of `from` on, and multiplies them by the reflector.
  void pass(int64_t from) {
    const int64_t begin = from / L * L;
    std::fill(product + begin, product + step, T(0));
    for (int64_t j = begin; j < step; j += kColumns) {
      pass_columns(j);
    }
  }

  void pass_columns(int64_t j) {
    Lanes<T> by_v[kColumns], by_w[kColumns], by_reflector[kColumns], sums[kColumns] = {};
    for (int c = 0; c < kColumns; ++c) {
      by_v[c] = splat<T>(-v[j + c]);
      by_w[c] = splat<T>(-w[j + c]);
      by_reflector[c] = splat<T>(reflector[j + c]);
    }
    T* columns = a + j * step;
    const auto update = [&](int64_t i, bool mirrored) {
      const auto of_v = load_lanes<T>(v + i), of_w = load_lanes<T>(w + i);
      const auto of_reflector = load_lanes<T>(reflector + i);
      auto total = load_lanes<T>(product + i);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        T* to = columns + c * step + i;
        const auto x = at::vec::fma(by_v[c], of_w, at::vec::fma(by_w[c], of_v, load_lanes<T>(to)));
        store_lanes<T>(to, x);
        total = at::vec::fma(by_reflector[c], x, total);
        if (mirrored) {
          sums[c] = at::vec::fma(of_reflector, x, sums[c]);
        }
      }
      store_lanes<T>(product + i, total);
    };
    update(j / L * L, false);
    for (int64_t i = j / L * L + L; i < step; i += L) {
      update(i, true);
    }
    add_sums<T>(sums, product + j);
  }

  T dot(const T* x, const T* y, int64_t from) const {
    Lanes<T> sum{};
    for (int64_t i = from / L * L; i < step; i += L) {
      sum = at::vec::fma(load_lanes<T>(x + i), load_lanes<T>(y + i), sum);
    }
    return fold_halves<T, kLanes<T>>(sum, [](auto s, auto t) { return s + t; });
  }

  // Makes the reflector of column k, whose updated numbers it holds. Returns its factor, and
  // replaces `alpha`, the number below the diagonal, by what becomes of it.
  T normalize(int64_t k, T* alpha) {
    std::fill(reflector + k / L * L, reflector + k + 2, T(0));
    const T below = dot(reflector, reflector, k);
    if (below <= kNegligible<T> * kNegligible<T>) {
      std::fill(reflector + k / L * L, reflector + step, T(0));
      return 0;
    }
    const T beta = -std::copysign(std::sqrt(*alpha * *alpha + below), *alpha);
    const T factor = 1 / (*alpha - beta), tau = (beta - *alpha) / beta;
    for (int64_t i = (k + 1) / L * L; i < step; i += L) {
      store_lanes<T>(reflector + i, load_lanes<T>(reflector + i) * splat<T>(factor));
    }
    reflector[k + 1] = 1;
    *alpha = beta;
    return tau;
  }

  // Makes w from the product with the reflector, which becomes v.
  void prepare_update(int64_t k, T tau) {
    const int64_t begin = (k + 1) / L * L;
    std::fill(product + begin, product + k + 1, T(0));
    const T half = tau / 2 * dot(product, reflector, k + 1);
    for (int64_t i = begin; i < step; i += L) {
      const auto along = load_lanes<T>(reflector + i);
      store_lanes<T>(w + i, splat<T>(tau) * (load_lanes<T>(product + i) - splat<T>(half) * along));
    }
    std::swap(v, reflector);
  }

  void run(const TridiagonalCall& call) {
    T *d = static_cast<T*>(call.diagonal), *e = static_cast<T*>(call.off_diagonal);
    T *tau = static_cast<T*>(call.tau), *given = static_cast<T*>(call.a);
    std::fill_n(v, step, T(0));
    std::fill_n(w, step, T(0));
    for (int64_t k = 0; k < n; ++k) {
      const auto by_v = splat<T>(-v[k]), by_w = splat<T>(-w[k]);
      for (int64_t i = k / L * L; i < step; i += L) {
        store_lanes<T>(
            reflector + i,
            at::vec::fma(
                by_v, load_lanes<T>(w + i),
                at::vec::fma(by_w, load_lanes<T>(v + i), load_lanes<T>(a + k * step + i))));
      }
      d[k] = reflector[k];
      if (k + 1 == n) {
        break;
      }
      e[k] = reflector[k + 1];
      const T factor = normalize(k, e + k);
      if (tau) {
        tau[k] = factor;
        std::copy(reflector + k + 2, reflector + n, given + k * n + k + 2);
      }
      pass(k + 1);
      prepare_update(k, factor);
    }
  }
};

template <class T>
double reduce(const TridiagonalCall& call) {
  Reduction<T> job(call);
  const T scale = job.copy(static_cast<const T*>(call.a), call.upper);
  if (scale == 0) {
    return 0;
  }
  job.run(call);
  T* d = static_cast<T*>(call.diagonal);
  if (!call.tau) {
    if (!find_eigenvalues(d, static_cast<T*>(call.off_diagonal), call.n)) {
      return 0;
    }
    std::sort(d, d + call.n);
  }
  return scale;
}

double tridiagonal_kernel(const TridiagonalCall& call) {
  return call.is_double ? reduce<double>(call) : reduce<float>(call);
}

} // namespace

REGISTER_DISPATCH(tridiagonal_stub, &tridiagonal_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
