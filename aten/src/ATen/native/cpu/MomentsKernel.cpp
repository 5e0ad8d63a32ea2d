#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cpu/LaneReduce.h>

namespace at::native {
namespace {

// Mean and sum of squared deviations. Blocks that fit the cache are read twice (mean, then
// deviations) and merged with the formula of Chan, Golub and LeVeque (1979), eq. 2.1.
template <class In>
struct Moments {
  using Acc = MomentsAcc;
  using Lane = wide_lane_t<In>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  static void init(void* acc, int64_t count) {
    std::fill_n(static_cast<Acc*>(acc), count, Acc{0, 0, 0});
  }

  static void join(Acc& a, double mean, double m2, int64_t n) {
    const int64_t total = a.n + n;
    if (total == 0) {
      return;
    }
    const double delta = mean - a.mean;
    const double share = static_cast<double>(n) / static_cast<double>(total);
    a.mean = a.n == 0 ? mean : a.mean + delta * share;
    a.m2 += m2 + (a.n == 0 ? 0 : delta * delta * share * static_cast<double>(a.n));
    a.n = total;
  }

  static void combine(void* acc, const void* other, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const Acc& b = static_cast<const Acc*>(other)[i];
      join(static_cast<Acc*>(acc)[i], b.mean, b.m2, b.n);
    }
  }

  static Lane fold(V a, V b, V c, V d) {
    return fold_lanes<Lane>((a + b) + (c + d), [](Lane x, Lane y) { return x + y; });
  }

  static double sum(const In* p, int64_t n) {
    V a{}, b{}, c{}, d{};
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
      a += load_lanes<Lane>(p + i);
      b += load_lanes<Lane>(p + i + L);
      c += load_lanes<Lane>(p + i + 2 * L);
      d += load_lanes<Lane>(p + i + 3 * L);
    }
    double total = n >= 4 * L ? static_cast<double>(fold(a, b, c, d)) : 0;
    for (; i < n; ++i) {
      total += static_cast<double>(to_lane<Lane>(p[i]));
    }
    return total;
  }

  static double deviations(const In* p, int64_t n, Lane mean) {
    V a{}, b{}, c{}, d{};
    const V m = splat<Lane>(mean);
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
      const V x = load_lanes<Lane>(p + i) - m, y = load_lanes<Lane>(p + i + L) - m;
      const V z = load_lanes<Lane>(p + i + 2 * L) - m, w = load_lanes<Lane>(p + i + 3 * L) - m;
      a += x * x;
      b += y * y;
      c += z * z;
      d += w * w;
    }
    double total = n >= 4 * L ? static_cast<double>(fold(a, b, c, d)) : 0;
    for (; i < n; ++i) {
      const double x = static_cast<double>(to_lane<Lane>(p[i])) - static_cast<double>(mean);
      total += x * x;
    }
    return total;
  }

  // Deviations are relative to the rounded mean; the last term corrects its rounding error.
  static void block_moments(Acc& acc, const In* p, int64_t n) {
    const double mean = sum(p, n) / static_cast<double>(n);
    const Lane rounded = static_cast<Lane>(mean);
    const double error = mean - static_cast<double>(rounded);
    const double m2 = deviations(p, n, rounded);
    const double correction = static_cast<double>(n) * error * error;
    join(acc, mean, m2 > correction ? m2 - correction : (m2 != m2 ? m2 : 0), n);
  }

  static void strided(Acc& acc, const In* p, int64_t n, int64_t step) {
    In gathered[256];
    while (n > 0) {
      const int64_t block = std::min<int64_t>(n, 256);
      for (int64_t i = 0; i < block; ++i) {
        gathered[i] = p[i * step];
      }
      block_moments(acc, gathered, block);
      p += block * step;
      n -= block;
    }
  }

  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step, int64_t,
      double) {
    constexpr int64_t kBlock = 4096;
    const In* p = static_cast<const In*>(in);
    for (int64_t c = 0; c < count; ++c, p += out_step) {
      Acc& a = static_cast<Acc*>(acc)[c];
      if (step != 1) {
        strided(a, p, n, step);
        continue;
      }
      for (int64_t k = 0; k < n; k += kBlock) {
        block_moments(a, p + k, std::min(kBlock, n - k));
      }
    }
  }

  static constexpr int64_t kColumns = 128;
  static constexpr int64_t kRows = 32;

  // Moments of `rows` rows over up to kColumns columns, in lanes.
  static void tile(
      const In* p, int64_t width, int64_t rows, int64_t row_step, Lane* mean, Lane* m2) {
    const Lane scale = Lane(1) / static_cast<Lane>(rows);
    int64_t c = 0;
    for (; c + L <= width; c += L) {
      V s{}, q{};
      for (int64_t r = 0; r < rows; ++r) {
        s += load_lanes<Lane>(p + r * row_step + c);
      }
      s *= splat<Lane>(scale);
      for (int64_t r = 0; r < rows; ++r) {
        const V x = load_lanes<Lane>(p + r * row_step + c) - s;
        q += x * x;
      }
      store_lanes<Lane>(mean + c, s);
      store_lanes<Lane>(m2 + c, q);
    }
    for (; c < width; ++c) {
      Lane s = 0, q = 0;
      for (int64_t r = 0; r < rows; ++r) {
        s += to_lane<Lane>(p[r * row_step + c]);
      }
      s *= scale;
      for (int64_t r = 0; r < rows; ++r) {
        const Lane x = to_lane<Lane>(p[r * row_step + c]) - s;
        q += x * x;
      }
      mean[c] = s;
      m2[c] = q;
    }
  }

  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t, double) {
    alignas(64) Lane mean[kColumns];
    alignas(64) Lane m2[kColumns];
    alignas(64) double total_mean[kColumns];
    alignas(64) double total_m2[kColumns];
    for (int64_t c0 = 0; c0 < count; c0 += kColumns) {
      const int64_t width = std::min(kColumns, count - c0);
      Acc* a = static_cast<Acc*>(acc) + c0;
      const In* p = static_cast<const In*>(in) + c0;
      std::fill_n(total_mean, width, 0.0);
      std::fill_n(total_m2, width, 0.0);
      for (int64_t r = 0; r < rows; r += kRows) {
        const int64_t block = std::min(kRows, rows - r);
        tile(p + r * row_step, width, block, row_step, mean, m2);
        const double share = static_cast<double>(block) / static_cast<double>(r + block);
        const double cross = share * static_cast<double>(r);
        for (int64_t c = 0; c < width; ++c) {
          const double delta = static_cast<double>(mean[c]) - total_mean[c];
          total_mean[c] += delta * share;
          total_m2[c] += static_cast<double>(m2[c]) + delta * delta * cross;
        }
      }
      for (int64_t c = 0; c < width; ++c) {
        join(a[c], total_mean[c], total_m2[c], rows);
      }
    }
  }

  static constexpr ReduceKernel kernel{sizeof(Acc), sizeof(In), &init, &inner, &outer, &combine};
};

const ReduceKernel* kernels_for(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Half:
      return &Moments<c10::Half>::kernel;
    case c10::ScalarType::BFloat16:
      return &Moments<c10::BFloat16>::kernel;
    case c10::ScalarType::Float:
      return &Moments<float>::kernel;
    case c10::ScalarType::Double:
      return &Moments<double>::kernel;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(moments_kernels, &kernels_for)

} // namespace at::native
