// Eigenvalues of Hermitian matrices and singular values, for LinalgStubs.h: methods of our own
// where LAPACK's calls cost more than its arithmetic, and around its serial parts.

#include <ATen/native/LinalgStubs.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/ColumnProducts.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/QrBlocks.h>
#include <ATen/native/SmallEigenvalues.h>
#include <ATen/native/Tridiagonal.h>
#include <ATen/native/blas/Lapack.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(eigh_stub);
DEFINE_DISPATCH(svd_stub);
DEFINE_DISPATCH(small_eigh_stub);
DEFINE_DISPATCH(small_svdvals_stub);
DEFINE_DISPATCH(tridiagonal_stub);

namespace {

int64_t area(const Tensor& matrices) {
  return matrices.size(-1) * matrices.size(-2);
}

// Whether squares of all numbers, and their sums, are numbers of the same type.
template <typename T>
bool is_moderate(const T* x, int64_t count) {
  constexpr T kLeast = std::is_same_v<T, double> ? T(1e-140) : T(1e-15);
  constexpr int kLanes = 16;
  T largest[kLanes] = {}, products[kLanes] = {}; // a product is NaN if its number is not finite
  const auto look_at = [&](int64_t i, int lane) {
    const T size = std::abs(x[i]);
    largest[lane] = largest[lane] < size ? size : largest[lane];
    products[lane] += size * T(0);
  };
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      look_at(i + lane, lane);
    }
  }
  for (; i < count; ++i) {
    look_at(i, 0);
  }
  const T most = *std::max_element(largest, largest + kLanes);
  const T sum = std::accumulate(products, products + kLanes, T(0));
  return most > kLeast && most < 1 / kLeast && sum == 0;
}

// The vectors of a tridiagonal matrix, by divide and conquer: the halves of a large one are solved
// in two threads and joined once. `order` names the columns of `z` in the order of the values.
template <typename T>
int solve_tridiagonal(int n, T* d, T* e, T* z, std::vector<int>& order) {
  const int64_t size = n;
  order.resize(size);
  std::iota(order.begin(), order.end(), 1);
  constexpr int kWorthHalving = 128;
  if (n < kWorthHalving) {
    return blas::stedc(n, d, e, z, n);
  }
  const int half = n / 2;
  const T rho = e[half - 1];
  d[half - 1] -= std::abs(rho);
  d[half] -= std::abs(rho);
  int failures[2] = {};
  at::parallel_for(0, 2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t from = part * half, to = part == 0 ? half : size;
      for (int64_t j = from; j < to; ++j) { // the other rows of these columns
        std::fill_n(z + j * size + (part == 0 ? half : 0), size - (to - from), T(0));
      }
      failures[part] = blas::stedc(to_int(to - from), d + from, e + from, z + from * (size + 1), n);
    }
  });
  std::iota(order.begin() + half, order.end(), 1);
  const int joined = blas::laed1(n, d, z, n, order.data(), rho, half);
  // laed1's order neglects differences by rounding.
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return d[i - 1] < d[j - 1]; });
  return failures[0] != 0 ? failures[0] : failures[1] != 0 ? failures[1] : joined;
}

// Makes the lower triangle tridiagonal and scales it to numbers of about 1. Returns the scale; 0
// if the numbers are too large or too small.
template <typename T>
T reduce(T* a, int n, bool upper, T* d, T* e, T* tau) {
  constexpr int64_t kCached = int64_t{5} << 18; // bytes of half a matrix
  if (int64_t{n} * n * static_cast<int64_t>(sizeof(T)) / 2 <= kCached) {
    const Tensor workspace = at::empty(
        {tridiagonal_workspace(n)}, TensorOptions().dtype(c10::CppTypeToScalarType<T>::value));
    return static_cast<T>(tridiagonal_stub.on_host(TridiagonalCall{
        a, d, e, tau, workspace.mutable_data_ptr<T>(), n, upper, std::is_same_v<T, double>}));
  }
  if (!tau || !is_moderate(a, int64_t{n} * n)) {
    return 0;
  }
  for (int j = 0; upper && j < n; ++j) {
    for (int i = 0; i < j; ++i) {
      a[int64_t{i} * n + j] = a[int64_t{j} * n + i];
    }
  }
  blas::sytrd('L', n, a, n, d, e, tau);
  T norm = 0;
  for (int i = 0; i < n; ++i) {
    norm = std::max({norm, std::abs(d[i]), i + 1 < n ? std::abs(e[i]) : T(0)});
  }
  norm = norm > 0 ? norm : T(1);
  for (int i = 0; i < n; ++i) {
    d[i] /= norm;
    e[i] /= norm;
  }
  return 1 / norm;
}

// syevd with vectors: products of panels of reflectors turn the vectors of the tridiagonal matrix
// back. Returns false, and leaves the matrix, if its numbers are too large or too small.
template <typename T>
bool eigh_with_vectors(T* a, int n, bool upper, T* values, int* info) {
  const int64_t size = n;
  std::vector<T> d(size), e(size), tau(size);
  const T scale = reduce(a, n, upper, d.data(), e.data(), tau.data());
  if (scale == 0) {
    return false;
  }
  const auto z = std::make_unique_for_overwrite<T[]>(size * size);
  const auto vectors = std::make_unique_for_overwrite<T[]>(size * size);
  std::vector<int> order;
  *info = solve_tridiagonal(n, d.data(), e.data(), z.get(), order);
  if (*info != 0) {
    return true;
  }
  const auto each_column = [&](const auto& f) {
    at::parallel_for(0, size, 64, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        f(j);
      }
    });
  };
  each_column([&](int64_t j) {
    values[j] = d[order[j] - 1] / scale;
    std::copy_n(z.get() + (order[j] - 1) * size, size, vectors.get() + j * size);
  });
  // The first row and column of the orthogonal matrix are those of the identity.
  apply_q(
      a + 1, size, size - 1, size - 1, tau.data(), vectors.get() + 1, size, size,
      /*transposed=*/false);
  each_column([&](int64_t j) { std::copy_n(vectors.get() + j * size, size, a + j * size); });
  return true;
}

template <typename T>
bool eigenvalues(T* a, int n, bool upper, T* values) {
  std::vector<T> e(n);
  const T scale = reduce<T>(a, n, upper, values, e.data(), nullptr);
  for (int i = 0; scale != 0 && i < n; ++i) {
    values[i] /= scale;
  }
  return scale != 0;
}

template <typename T, typename Real>
int eigh(T* a, int n, Real* values, bool upper, bool vectors) {
  if constexpr (std::is_floating_point_v<T>) {
    if (n <= kMaxSmallSpectrum) {
      if (small_eigh_stub.on_host(
              SmallEighCall{a, values, n, upper, vectors, std::is_same_v<T, double>})) {
        return 0;
      }
    } else if (int info = 0; vectors ? eigh_with_vectors(a, n, upper, values, &info)
                                     : eigenvalues(a, n, upper, values)) {
      return info;
    }
  }
  return blas::syevd(vectors ? 'V' : 'N', upper ? 'U' : 'L', n, a, n, values);
}

void eigh_cpu(const Tensor& a, const Tensor& values, const Tensor& info, bool upper, bool vectors) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "linalg_eigh_cpu", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    const int n = to_int(a.size(-1));
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* value = values.mutable_data_ptr<Real>();
    auto* status = info.mutable_data_ptr<int32_t>();
    for_each_matrix(a, [&](int64_t i) {
      status[i] = eigh<scalar_t, Real>(data + i * area(a), n, value + i * n, upper, vectors);
    });
  });
}

// The singular values of matrices with many more rows than columns are those of R, and U is Q times
// R's U. LAPACK does the same, on one thread.
template <typename T>
int tall_svd(T* a, int m, int n, T* values, T* u, T* vh) {
  std::vector<T> tau(n), r(static_cast<size_t>(n) * n);
  factor_qr(a, m, n, tau.data());
  for (int j = 0; j < n; ++j) {
    std::copy_n(a + static_cast<int64_t>(j) * m, j + 1, r.data() + static_cast<int64_t>(j) * n);
  }
  if (u == nullptr) {
    return blas::gesdd('N', n, n, r.data(), n, values, nullptr, 1, nullptr, 1);
  }
  std::vector<T> left(r.size());
  const int info = blas::gesdd('S', n, n, r.data(), n, values, left.data(), n, vh, n);
  form_q(a, m, n, n, tau.data());
  at::parallel_for(0, n, 32, [&](int64_t begin, int64_t end) {
    multiply<T>(
        m, end - begin, n, T(1), {a, {1, m}}, {left.data() + begin * n, {1, n}}, T(0),
        {u + begin * m, {1, m}});
  });
  return info;
}

// LAPACK's gesdd; U and V^H are null if only values are wanted.
template <typename T, typename Real>
int svd(T* a, int m, int n, Real* values, T* u, T* vh, int vh_rows, bool full) {
  if constexpr (std::is_same_v<T, float>) {
    if (u == nullptr && std::min(m, n) <= kMaxSmallSpectrum &&
        small_svdvals_stub.on_host(SmallSvdvalsCall{a, values, m, n})) {
      return 0;
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (m >= 11 * int64_t{n} / 6 && n > 1 && !full && is_moderate(a, int64_t{m} * n)) {
      return tall_svd(a, m, n, values, u, vh);
    }
  }
  const char job = u == nullptr ? 'N' : (full ? 'A' : 'S');
  return blas::gesdd(job, m, n, a, m, values, u, m, vh, vh_rows);
}

void svd_cpu(
    const Tensor& a, const Tensor& u, const Tensor& values, const Tensor& vh, const Tensor& info,
    std::optional<std::string_view> /*driver*/) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(a.scalar_type(), "linalg_svd_cpu", [&] {
    using Real = typename c10::scalar_value_type<scalar_t>::type;
    const int m = to_int(a.size(-2)), n = to_int(a.size(-1)), k = std::min(m, n);
    const bool vectors = u.defined();
    const bool full = vectors && (u.size(-1) > k || vh.size(-2) > k);
    const int height = vectors ? to_int(vh.size(-2)) : 1;
    auto* data = a.mutable_data_ptr<scalar_t>();
    auto* value = values.mutable_data_ptr<Real>();
    auto* status = info.mutable_data_ptr<int32_t>();
    scalar_t* left = vectors ? u.mutable_data_ptr<scalar_t>() : nullptr;
    scalar_t* right = vectors ? vh.mutable_data_ptr<scalar_t>() : nullptr;
    for_each_matrix(a, [&](int64_t i) {
      status[i] = svd<scalar_t, Real>(
          data + i * area(a), m, n, value + i * k, vectors ? left + i * area(u) : nullptr,
          vectors ? right + i * area(vh) : nullptr, height, full);
    });
  });
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(eigh_stub, &eigh_cpu)
REGISTER_ALL_CPU_DISPATCH(svd_stub, &svd_cpu)

} // namespace at::native
