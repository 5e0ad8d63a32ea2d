#include <ATen/native/Blas.h>
#include <ATen/native/cpu/ComplexGemm.h>
#include <ATen/native/cpu/Lanes.h>

namespace at::native {
namespace {

// Small products use at most eight floats per register, because their rows are seldom longer.
inline constexpr int kSmallBytes = at::vec::kVectorBytes < 32 ? at::vec::kVectorBytes : 32;

template <class T>
struct SmallGemm {
  static constexpr int L = kSmallBytes / static_cast<int>(sizeof(T));
  using V = at::vec::Lanes<T, L>;

  // Writes all columns but the first `skip`.
  static void put(T* c, V sum, T alpha, T beta, int64_t skip) {
    V result = sum * alpha;
    if (beta != 0) {
      result += at::vec::load<T, L>(c) * beta;
    }
    if (skip == 0) {
      std::memcpy(c, &result, sizeof(result));
      return;
    }
    T columns[L];
    std::memcpy(columns, &result, sizeof(result));
    std::copy(columns + skip, columns + L, c + skip);
  }

  // kRows rows of one column block of L.
  template <int kRows>
  static void block(const Gemm& g, int64_t i, int64_t j, T alpha, T beta, int64_t skip) {
    const T* a = static_cast<const T*>(g.a) + i * g.a_row;
    const T* b = static_cast<const T*>(g.b) + j;
    V sum[kRows] = {};
    for (int64_t k = 0; k < g.k; ++k) {
      const V row = at::vec::load<T, L>(b + k * g.b_row);
      for (int r = 0; r < kRows; ++r) {
        sum[r] = at::vec::fma(at::vec::splat<V>(a[r * g.a_row + k * g.a_col]), row, sum[r]);
      }
    }
    T* c = static_cast<T*>(g.c) + i * g.c_row + j;
    for (int r = 0; r < kRows; ++r) {
      put(c + r * g.c_row, sum[r], alpha, beta, skip);
    }
  }

  static void columns(const Gemm& g, int64_t j, T alpha, T beta, int64_t skip) {
    int64_t i = 0;
    for (; i + 4 <= g.m; i += 4) {
      block<4>(g, i, j, alpha, beta, skip);
    }
    for (; i < g.m; ++i) {
      block<1>(g, i, j, alpha, beta, skip);
    }
  }

  static void one(const Gemm& g, int64_t i, int64_t j, T alpha, T beta) {
    const T* a = static_cast<const T*>(g.a) + i * g.a_row;
    const T* b = static_cast<const T*>(g.b) + j;
    T sum = 0;
    for (int64_t k = 0; k < g.k; ++k) {
      sum += a[k * g.a_col] * b[k * g.b_row];
    }
    T& c = static_cast<T*>(g.c)[i * g.c_row + j];
    c = alpha * sum + (beta != 0 ? beta * c : T(0));
  }

  // Columns that do not fill a block are computed together with preceding ones.
  static void run(const Gemm& g, T alpha, T beta) {
    int64_t j = 0;
    for (; j + L <= g.n; j += L) {
      columns(g, j, alpha, beta, 0);
    }
    if (j < g.n && j > 0) {
      columns(g, g.n - L, alpha, beta, j - (g.n - L));
    } else {
      for (; j < g.n; ++j) {
        for (int64_t i = 0; i < g.m; ++i) {
          one(g, i, j, alpha, beta);
        }
      }
    }
  }
};

void small_gemm(c10::ScalarType dtype, const Gemm& job, double alpha, double beta) {
  if (dtype == c10::ScalarType::Float) {
    SmallGemm<float>::run(job, static_cast<float>(alpha), static_cast<float>(beta));
  } else {
    SmallGemm<double>::run(job, alpha, beta);
  }
}

// Row by row of c, in the dtype's wrapping arithmetic.
template <class T>
void integer_rows(const Gemm& g, T alpha, T beta) {
  using Wide =
      std::conditional_t<(sizeof(T) < 4), uint32_t, T>; // prevents promotion to a signed int
  for (int64_t i = 0; i < g.m; ++i) {
    T* c = static_cast<T*>(g.c) + i * g.c_row;
    for (int64_t j = 0; j < g.n; ++j) {
      c[j * g.c_col] = beta == 0 ? T(0) : static_cast<T>(Wide(c[j * g.c_col]) * beta);
    }
    for (int64_t k = 0; k < g.k; ++k) {
      const T* b = static_cast<const T*>(g.b) + k * g.b_row;
      const Wide a = Wide(alpha) * static_cast<const T*>(g.a)[i * g.a_row + k * g.a_col];
      if (g.b_col == 1 && g.c_col == 1) {
        for (int64_t j = 0; j < g.n; ++j) {
          c[j] = static_cast<T>(c[j] + a * b[j]);
        }
      } else {
        for (int64_t j = 0; j < g.n; ++j) {
          c[j * g.c_col] = static_cast<T>(c[j * g.c_col] + a * b[j * g.b_col]);
        }
      }
    }
  }
}

void integer_gemm(int64_t element_size, const Gemm& job, int64_t alpha, int64_t beta) {
  switch (element_size) {
    case 1:
      return integer_rows<uint8_t>(job, static_cast<uint8_t>(alpha), static_cast<uint8_t>(beta));
    case 2:
      return integer_rows<uint16_t>(job, static_cast<uint16_t>(alpha), static_cast<uint16_t>(beta));
    case 4:
      return integer_rows<uint32_t>(job, static_cast<uint32_t>(alpha), static_cast<uint32_t>(beta));
    default:
      return integer_rows<uint64_t>(job, static_cast<uint64_t>(alpha), static_cast<uint64_t>(beta));
  }
}

// Lanes accumulate at most 4096 products before they are added in double.
template <class T>
double dot_adjacent(int64_t n, const void* left, const void* right) {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  constexpr int L = kLanes<Lane>;
  const T* x = static_cast<const T*>(left);
  const T* y = static_cast<const T*>(right);
  double total = 0;
  int64_t i = 0;
  while (n - i >= L) {
    const int64_t end = std::min<int64_t>(n, i + 4096);
    V a{}, b{};
    for (; i + 2 * L <= end; i += 2 * L) {
      a = at::vec::fma(load_lanes<Lane>(x + i), load_lanes<Lane>(y + i), a);
      b = at::vec::fma(load_lanes<Lane>(x + i + L), load_lanes<Lane>(y + i + L), b);
    }
    for (; i + L <= end; i += L) {
      a = at::vec::fma(load_lanes<Lane>(x + i), load_lanes<Lane>(y + i), a);
    }
    total += static_cast<double>(fold_lanes<Lane>(a + b, [](Lane p, Lane q) { return p + q; }));
  }
  for (; i < n; ++i) {
    total += static_cast<double>(to_lane<Lane>(x[i]) * to_lane<Lane>(y[i]));
  }
  return total;
}

double dot_kernel(c10::ScalarType dtype, int64_t n, const void* x, const void* y) {
  switch (dtype) {
    case c10::ScalarType::Double:
      return dot_adjacent<double>(n, x, y);
    case c10::ScalarType::Half:
      return dot_adjacent<c10::Half>(n, x, y);
    case c10::ScalarType::BFloat16:
      return dot_adjacent<c10::BFloat16>(n, x, y);
    default:
      return dot_adjacent<float>(n, x, y);
  }
}

// Complex numbers lie as pairs of lanes: products of x and y are those of the real parts and of the
// imaginary parts in turn, and products of x and y with its pairs exchanged the mixed ones.
template <class T>
c10::complex<double> complex_dot_adjacent(
    int64_t n, const void* left, const void* right, bool conjugated) {
  using V = Lanes<T>;
  constexpr int L = kLanes<T>;
  const T* x = static_cast<const T*>(left);
  const T* y = static_cast<const T*>(right);
  double like[2] = {}, mixed[2] = {};
  int64_t i = 0;
  while (2 * n - i >= L) {
    const int64_t end = std::min<int64_t>(2 * n, i + 4096);
    V same[2] = {}, other[2] = {};
    const auto add = [&](int64_t from, int chain) {
      const V a = load_lanes<T>(x + from), b = load_lanes<T>(y + from);
      same[chain] = at::vec::fma(a, b, same[chain]);
      other[chain] = at::vec::fma(a, exchanged_parts<T>(b), other[chain]);
    };
    for (; i + 2 * L <= end; i += 2 * L) {
      add(i, 0);
      add(i + L, 1);
    }
    for (; i + L <= end; i += L) {
      add(i, 0);
    }
    const V all_same = same[0] + same[1], all_other = other[0] + other[1];
    for (int lane = 0; lane < L; ++lane) {
      like[lane % 2] += static_cast<double>(all_same[lane]);
      mixed[lane % 2] += static_cast<double>(all_other[lane]);
    }
  }
  for (; i < 2 * n; ++i) {
    like[i % 2] += static_cast<double>(x[i] * y[i]);
    mixed[i % 2] += static_cast<double>(x[i] * y[i ^ 1]);
  }
  return conjugated ? c10::complex<double>(like[0] + like[1], mixed[0] - mixed[1])
                    : c10::complex<double>(like[0] - like[1], mixed[0] + mixed[1]);
}

c10::complex<double> complex_dot_kernel(
    c10::ScalarType dtype, int64_t n, const void* x, const void* y, bool conjugated) {
  return dtype == c10::ScalarType::Double ? complex_dot_adjacent<double>(n, x, y, conjugated)
                                          : complex_dot_adjacent<float>(n, x, y, conjugated);
}

#if defined(CPU_CAPABILITY_AVX512)

bool complex_product(
    c10::ScalarType dtype, const Gemm& g, c10::complex<double> alpha, c10::complex<double> beta) {
  if (std::min({g.m, g.n, g.k}) < 4) {
    return false;
  }
  if (dtype == c10::ScalarType::ComplexFloat) {
    complex_gemm::ComplexGemm<float>::run(g, c10::complex<float>(alpha), c10::complex<float>(beta));
  } else {
    complex_gemm::ComplexGemm<double>::run(g, alpha, beta);
  }
  return true;
}

#else

bool complex_product(c10::ScalarType, const Gemm&, c10::complex<double>, c10::complex<double>) {
  return false;
}

#endif

} // namespace

REGISTER_DISPATCH(small_gemm_stub, &small_gemm)
REGISTER_DISPATCH(complex_gemm_stub, &complex_product)
REGISTER_DISPATCH(integer_gemm_stub, &integer_gemm)
REGISTER_DISPATCH(dot_stub, &dot_kernel)
REGISTER_DISPATCH(complex_dot_stub, &complex_dot_kernel)

} // namespace at::native
