#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/FoldHalves.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

namespace at::native {
namespace {

// With z = (x - mean) * rstd and g = grad * weight, for a row with n elements:
//   grad_in = rstd * (g - sum(g) / n - z * sum(g * z) / n), without the second term for an RMS
//   norm; grad_weight += grad * z; grad_bias += grad.
template <class T>
struct RowNormBackward {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  const RowNormBackwardJob& job;
  Lane* grad_weight; // sums over the rows of one thread, or null
  Lane* grad_bias;

  struct Row {
    const T* grad;
    const T* in;
    Lane mean, rstd;
  };

  Row row(int64_t r) const {
    const Lane mean = job.mean != nullptr ? static_cast<const Lane*>(job.mean)[r] : Lane(0);
    return {
        static_cast<const T*>(job.grad) + r * job.n, static_cast<const T*>(job.in) + r * job.n,
        mean, static_cast<const Lane*>(job.rstd)[r]};
  }

  V weighted(V grad, int64_t i) const {
    const Lane* weight = static_cast<const Lane*>(job.weight);
    return weight != nullptr ? grad * load_up_to<Lane>(weight + i, job.n - i, Lane(0)) : grad;
  }

  static void add(Lane* to, V value, int64_t count) {
    if (to != nullptr) {
      save_up_to<Lane, Lane>(to, load_up_to<Lane>(to, count, Lane(0)) + value, count);
    }
  }

  static Lane total(V v) {
    return fold_halves<Lane, L>(v, [](auto p, auto q) { return p + q; });
  }

  void one_row(int64_t r) const {
    const Row x = row(r);
    const int64_t n = job.n;
    const V mean = splat<Lane>(x.mean), rstd = splat<Lane>(x.rstd);
    V sum{}, sum_z{};
    for (int64_t i = 0; i < n; i += L) {
      const V grad = load_up_to<Lane>(x.grad + i, n - i, Lane(0));
      const V z = (load_up_to<Lane>(x.in + i, n - i, Lane(0)) - mean) * rstd;
      add(grad_weight == nullptr ? nullptr : grad_weight + i, grad * z, n - i);
      add(grad_bias == nullptr ? nullptr : grad_bias + i, grad, n - i);
      const V g = weighted(grad, i);
      sum += g;
      sum_z = at::vec::fma(g, z, sum_z);
    }
    if (job.grad_in == nullptr) {
      return;
    }
    T* grad_in = static_cast<T*>(job.grad_in) + r * n;
    const Lane count = static_cast<Lane>(n);
    const V a = splat<Lane>(job.mean != nullptr ? total(sum) / count : Lane(0));
    const V b = splat<Lane>(total(sum_z) / count);
    for (int64_t i = 0; i < n; i += L) {
      const V g = weighted(load_up_to<Lane>(x.grad + i, n - i, Lane(0)), i);
      const V z = (load_up_to<Lane>(x.in + i, n - i, Lane(0)) - mean) * rstd;
      save_up_to<T, Lane>(grad_in + i, rstd * (g - a - z * b), n - i);
    }
  }

  static bool run(const RowNormBackwardJob& job) {
    const int64_t least =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, job.n));
    const int64_t parts =
        std::clamp<int64_t>(job.rows / least, 1, std::max(1, at::get_num_threads()));
    const int64_t step = at::divup(job.rows, parts);
    // For each part: the sums for the weight, then those for the bias.
    std::vector<Lane> sums(static_cast<size_t>(parts * 2 * job.n), Lane(0));
    at::parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        Lane* of_part = sums.data() + part * 2 * job.n;
        const RowNormBackward work{
            job, job.grad_weight != nullptr ? of_part : nullptr,
            job.grad_bias != nullptr ? of_part + job.n : nullptr};
        for (int64_t r = part * step; r < std::min(job.rows, (part + 1) * step); ++r) {
          work.one_row(r);
        }
      }
    });
    gather(job.grad_weight, sums.data(), parts, job.n);
    gather(job.grad_bias, sums.data() + job.n, parts, job.n);
    return true;
  }

  static void gather(void* to, const Lane* sums, int64_t parts, int64_t n) {
    if (to == nullptr) {
      return;
    }
    Lane* total = static_cast<Lane*>(to);
    std::copy_n(sums, n, total);
    for (int64_t part = 1; part < parts; ++part) {
      for (int64_t i = 0; i < n; ++i) {
        total[i] += sums[part * 2 * n + i];
      }
    }
  }
};

bool row_norm_backward_kernel(c10::ScalarType dtype, const RowNormBackwardJob& job) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return RowNormBackward<float>::run(job);
    case c10::ScalarType::Double:
      return RowNormBackward<double>::run(job);
    case c10::ScalarType::Half:
      return RowNormBackward<c10::Half>::run(job);
    case c10::ScalarType::BFloat16:
      return RowNormBackward<c10::BFloat16>::run(job);
    default:
      return false;
  }
}

} // namespace

REGISTER_DISPATCH(row_norm_backward_stub, &row_norm_backward_kernel)

} // namespace at::native
