#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/FoldHalves.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace at::native {
namespace {

// y = (x - mean) / sqrt(var + eps) * weight + bias over rows, with the variance of each row; the
// mean is zero unless `centred`.
template <class T, bool centred>
struct RowNorm {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  static Lane total(V a, V b) {
    return fold_halves<Lane, L>(a + b, [](auto p, auto q) { return p + q; });
  }

  // Sums of long rows are added up in double precision, block by block.
  template <class Sum>
  static double by_blocks(const T* x, int64_t n, const Sum& sum) {
    constexpr int64_t kBlock = 16384;
    double all = sum(x, std::min(n, kBlock));
    for (int64_t i = kBlock; i < n; i += kBlock) {
      all += sum(x + i, std::min(n - i, kBlock));
    }
    return all;
  }

  static double sum(const T* x, int64_t n) {
    V a{}, b{};
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
      a += load_lanes<Lane>(x + i);
      b += load_lanes<Lane>(x + i + L);
    }
    for (; i < n; i += L) {
      a += load_up_to<Lane>(x + i, n - i, Lane(0));
    }
    return static_cast<double>(total(a, b));
  }

  static double deviations(const T* x, int64_t n, Lane mean) {
    const V m = splat<Lane>(mean);
    V a{}, b{};
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
      const V p = load_lanes<Lane>(x + i) - m, q = load_lanes<Lane>(x + i + L) - m;
      a = at::vec::fma(p, p, a);
      b = at::vec::fma(q, q, b);
    }
    for (; i < n; i += L) {
      const V p = load_up_to<Lane>(x + i, n - i, mean) - m;
      a = at::vec::fma(p, p, a);
    }
    return static_cast<double>(total(a, b));
  }

  static void row(const RowNormJob& job, int64_t r) {
    const int64_t n = job.n;
    const T* x = static_cast<const T*>(job.in) + r * n;
    T* y = static_cast<T*>(job.out) + r * n;
    const Lane* w = static_cast<const Lane*>(job.weight);
    const Lane* b = static_cast<const Lane*>(job.bias);
    const double count = static_cast<double>(n);
    const Lane mean = centred ? static_cast<Lane>(by_blocks(x, n, sum) / count) : Lane(0);
    const double var =
        by_blocks(
            x, n, [mean](const T* from, int64_t size) { return deviations(from, size, mean); }) /
        count;
    const Lane rstd = static_cast<Lane>(1 / std::sqrt(var + job.eps));
    const V scale = splat<Lane>(rstd), m = splat<Lane>(mean);
    for (int64_t i = 0; i < n; i += L) {
      V v = (load_up_to<Lane>(x + i, n - i, Lane(0)) - m) * scale;
      if (w != nullptr) {
        v *= load_up_to<Lane>(w + i, n - i, Lane(0));
      }
      if (b != nullptr) {
        v += load_up_to<Lane>(b + i, n - i, Lane(0));
      }
      save_up_to<T, Lane>(y + i, v, n - i);
    }
    if (job.mean != nullptr) {
      static_cast<Lane*>(job.mean)[r] = mean;
    }
    static_cast<Lane*>(job.rstd)[r] = rstd;
  }

  static bool run(const RowNormJob& job) {
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, job.n));
    at::parallel_for(0, job.rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        row(job, r);
      }
    });
    return true;
  }
};

template <bool centred>
bool row_norm_kernel(c10::ScalarType dtype, const RowNormJob& job) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return RowNorm<float, centred>::run(job);
    case c10::ScalarType::Double:
      return RowNorm<double, centred>::run(job);
    case c10::ScalarType::Half:
      return RowNorm<c10::Half, centred>::run(job);
    case c10::ScalarType::BFloat16:
      return RowNorm<c10::BFloat16, centred>::run(job);
    default:
      return false;
  }
}

} // namespace

REGISTER_DISPATCH(layer_norm_stub, &row_norm_kernel<true>)
REGISTER_DISPATCH(rms_norm_stub, &row_norm_kernel<false>)

} // namespace at::native
