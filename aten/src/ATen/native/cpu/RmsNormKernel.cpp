#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace at::native {
namespace {

template <class T>
struct RmsNorm {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  static double squares(const T* x, int64_t n) {
    V a{}, b{};
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
      const V p = load_lanes<Lane>(x + i), q = load_lanes<Lane>(x + i + L);
      a = at::vec::fma(p, p, a);
      b = at::vec::fma(q, q, b);
    }
    for (; i < n; i += L) {
      const V p = load_up_to<Lane>(x + i, n - i, Lane(0));
      a = at::vec::fma(p, p, a);
    }
    return static_cast<double>(fold_lanes<Lane>(a + b, [](Lane p, Lane q) { return p + q; }));
  }

  static void row(const RmsNormJob& job, int64_t r) {
    const int64_t n = job.n;
    const T* x = static_cast<const T*>(job.in) + r * n;
    T* y = static_cast<T*>(job.out) + r * n;
    const Lane* weight = static_cast<const Lane*>(job.weight);
    const double mean = squares(x, n) / static_cast<double>(n);
    const Lane rstd = static_cast<Lane>(1 / std::sqrt(mean + job.eps));
    static_cast<Lane*>(job.rstd)[r] = rstd;
    const V scale = splat<Lane>(rstd);
    for (int64_t i = 0; i < n; i += L) {
      V v = load_up_to<Lane>(x + i, n - i, Lane(0)) * scale;
      if (weight != nullptr) {
        v *= load_up_to<Lane>(weight + i, n - i, Lane(0));
      }
      save_up_to<T, Lane>(y + i, v, n - i);
    }
  }

  static bool run(const RmsNormJob& job) {
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

bool rms_norm_kernel(c10::ScalarType dtype, const RmsNormJob& job) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return RmsNorm<float>::run(job);
    case c10::ScalarType::Double:
      return RmsNorm<double>::run(job);
    case c10::ScalarType::Half:
      return RmsNorm<c10::Half>::run(job);
    case c10::ScalarType::BFloat16:
      return RmsNorm<c10::BFloat16>::run(job);
    default:
      return false;
  }
}

} // namespace

REGISTER_DISPATCH(rms_norm_stub, &rms_norm_kernel)

} // namespace at::native
