#include <ATen/native/SoftMaxStub.h>
#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/native/cpu/FoldHalves.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace at::native {
namespace {

// e^x for x <= 0, which is what remains after subtracting the maximum: one scaling is enough, and
// results below the smallest normal number become zero.
template <class V>
V exp_shifted(V x) {
  using T = at::vec::element_of<V>;
  using C = at::vec::ExpConstants<T>;
  constexpr T kSmallest = sizeof(T) == 4 ? T(-87.33) : T(-708.39);
  const auto reduced = at::vec::reduce_exp(x);
  const V r = reduced.r;
  const V p = at::vec::fma(r * r, at::vec::polynomial(r, C::kTail), r) + T(1);
  const V scaled = p * at::vec::power_of_two<V>(reduced.n_bits);
  return x < kSmallest ? V{} : scaled;
}

// The maximum is subtracted before the logarithm of the sum: a large maximum would absorb it.
template <class T>
struct SoftMax {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;
  // In the lanes after the end of a row. It adds 0 to the sum, or NaN where the maximum is this or
  // NaN, but then the sum is NaN anyway.
  static constexpr Lane kNone = -std::numeric_limits<Lane>::infinity();
  // Half types do not store exponentials between the passes, because that would round them; a
  // wider buffer keeps up to kKept of a row.
  static constexpr bool kStores = std::is_same_v<T, Lane>;
  static constexpr int64_t kKept = 2048;

  static Lane largest(V v) {
    return fold_halves<Lane, L>(v, [](auto p, auto q) { return lane_max(p, q); });
  }

  static Lane total(V v) {
    return fold_halves<Lane, L>(v, [](auto p, auto q) { return p + q; });
  }

  static Lane row_max(const T* x, int64_t n) {
    V a = splat<Lane>(kNone), b = a;
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
      a = lane_max(a, load_lanes<Lane>(x + i));
      b = lane_max(b, load_lanes<Lane>(x + i + L));
    }
    for (; i < n; i += L) {
      a = lane_max(a, load_up_to<Lane>(x + i, n - i, kNone));
    }
    return largest(lane_max(a, b));
  }

  template <bool store, class Out = T>
  static Lane row_sum(const T* x, Out* y, int64_t n, Lane max) {
    const V m = splat<Lane>(max);
    V a{}, b{};
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
      const V e = exp_shifted(load_lanes<Lane>(x + i) - m);
      const V f = exp_shifted(load_lanes<Lane>(x + i + L) - m);
      if constexpr (store) {
        save_lanes<Out, Lane>(y + i, e);
        save_lanes<Out, Lane>(y + i + L, f);
      }
      a += e;
      b += f;
    }
    for (; i < n; i += L) {
      const V x0 = load_up_to<Lane>(x + i, n - i, kNone);
      const V e = exp_shifted(x0 - m);
      if constexpr (store) {
        save_up_to<Out, Lane>(y + i, e, n - i);
      }
      b += e;
    }
    return total(a + b);
  }

  // A row that fits a register.
  template <bool log>
  static void short_row(const T* x, T* y, int64_t n) {
    const V v = load_up_to<Lane>(x, n, kNone);
    const Lane max = largest(v);
    const V e = exp_shifted(v - max);
    const Lane sum = total(e);
    save_up_to<T, Lane>(y, log ? v - max - std::log(sum) : e * (Lane(1) / sum), n);
  }

  static void keep_and_scale(const T* x, T* y, int64_t n, Lane max) {
    alignas(64) Lane kept[kKept];
    const V scale = splat<Lane>(Lane(1) / row_sum<true>(x, kept, n, max));
    for (int64_t i = 0; i < n; i += L) {
      save_up_to<T, Lane>(y + i, load_up_to<Lane>(kept + i, n - i, Lane(0)) * scale, n - i);
    }
  }

  template <bool log>
  static void row(const T* x, T* y, int64_t n) {
    if (n <= L) {
      return short_row<log>(x, y, n);
    }
    const Lane max = row_max(x, n);
    if constexpr (!log && !kStores) {
      if (n <= kKept) {
        return keep_and_scale(x, y, n, max);
      }
    }
    const Lane sum = row_sum < !log && kStores > (x, y, n, max);
    const V m = splat<Lane>(max);
    const V log_sum = splat<Lane>(log ? std::log(sum) : Lane(0));
    const V scale = splat<Lane>(Lane(1) / sum);
    for (int64_t i = 0; i < n; i += L) {
      const V source = load_up_to<Lane>(!log && kStores ? y + i : x + i, n - i, Lane(0));
      V result;
      if constexpr (log) {
        result = source - m - log_sum;
      } else if constexpr (kStores) {
        result = source * scale;
      } else {
        result = exp_shifted(source - m) * scale;
      }
      save_up_to<T, Lane>(y + i, result, n - i);
    }
  }

  // The row's log(sum(exp(x))). If the maximum is infinite, it is the result.
  static T row_logsumexp(const T* x, int64_t n) {
    const Lane max = row_max(x, n);
    const Lane shift = std::isinf(max) ? Lane(0) : max;
    if (max == std::numeric_limits<Lane>::infinity()) {
      return static_cast<T>(max);
    }
    return static_cast<T>(std::log(row_sum<false, T>(x, nullptr, n, shift)) + shift);
  }

  static bool run_logsumexp(const void* in, void* out, int64_t rows, int64_t n) {
    const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (4 * n));
    at::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        static_cast<T*>(out)[r] = row_logsumexp(static_cast<const T*>(in) + r * n, n);
      }
    });
    return true;
  }

  // Handles up to a register of neighboring columns; the reduced dimension has stride `inner`.
  template <bool log>
  static void columns(const T* x, T* y, int64_t n, int64_t inner, int64_t width) {
    V max = splat<Lane>(kNone);
    for (int64_t k = 0; k < n; ++k) {
      max = lane_max(max, load_up_to<Lane>(x + k * inner, width, Lane(0)));
    }
    V sum{};
    for (int64_t k = 0; k < n; ++k) {
      const V e = exp_shifted(load_up_to<Lane>(x + k * inner, width, Lane(0)) - max);
      if constexpr (!log && kStores) {
        save_up_to<T, Lane>(y + k * inner, e, width);
      }
      sum += e;
    }
    V log_sum{};
    if constexpr (log) {
      for (int i = 0; i < L; ++i) {
        log_sum[i] = std::log(sum[i]);
      }
    }
    const V scale = splat<Lane>(Lane(1)) / sum;
    for (int64_t k = 0; k < n; ++k) {
      const T* from = !log && kStores ? y + k * inner : x + k * inner;
      const V source = load_up_to<Lane>(from, width, Lane(0));
      V result;
      if constexpr (log) {
        result = source - max - log_sum;
      } else if constexpr (kStores) {
        result = source * scale;
      } else {
        result = exp_shifted(source - max) * scale;
      }
      save_up_to<T, Lane>(y + k * inner, result, width);
    }
  }

  template <bool log>
  static void run(const void* in, void* out, int64_t outer, int64_t n, int64_t inner) {
    const T* x = static_cast<const T*>(in);
    T* y = static_cast<T*>(out);
    const int64_t blocks = inner == 1 ? 1 : (inner + L - 1) / L;
    const int64_t work = n * (inner == 1 ? 1 : L) * 4;
    const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / work);
    at::parallel_for(0, outer * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (inner == 1) {
          row<log>(x + i * n, y + i * n, n);
        } else {
          const int64_t first = i % blocks * L;
          const int64_t offset = i / blocks * n * inner + first;
          columns<log>(x + offset, y + offset, n, inner, std::min<int64_t>(L, inner - first));
        }
      }
    });
  }
};

template <class T>
bool run(const void* in, void* out, int64_t outer, int64_t n, int64_t inner, bool log) {
  if (log) {
    SoftMax<T>::template run<true>(in, out, outer, n, inner);
  } else {
    SoftMax<T>::template run<false>(in, out, outer, n, inner);
  }
  return true;
}

bool softmax_kernel(
    c10::ScalarType dtype, const void* in, void* out, int64_t outer, int64_t n, int64_t inner,
    bool log) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return run<float>(in, out, outer, n, inner, log);
    case c10::ScalarType::Double:
      return run<double>(in, out, outer, n, inner, log);
    case c10::ScalarType::Half:
      return run<c10::Half>(in, out, outer, n, inner, log);
    case c10::ScalarType::BFloat16:
      return run<c10::BFloat16>(in, out, outer, n, inner, log);
    default:
      return false;
  }
}

bool logsumexp_kernel(c10::ScalarType dtype, const void* in, void* out, int64_t rows, int64_t n) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return SoftMax<float>::run_logsumexp(in, out, rows, n);
    case c10::ScalarType::Double:
      return SoftMax<double>::run_logsumexp(in, out, rows, n);
    case c10::ScalarType::Half:
      return SoftMax<c10::Half>::run_logsumexp(in, out, rows, n);
    case c10::ScalarType::BFloat16:
      return SoftMax<c10::BFloat16>::run_logsumexp(in, out, rows, n);
    default:
      return false;
  }
}

} // namespace

REGISTER_DISPATCH(softmax_stub, &softmax_kernel)
REGISTER_DISPATCH(logsumexp_stub, &logsumexp_kernel)

} // namespace at::native
