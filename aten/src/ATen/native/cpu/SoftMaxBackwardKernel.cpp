#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/native/SoftMaxStub.h>
#include <ATen/native/cpu/FoldHalves.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>

namespace at::native {
namespace {

template <class T>
struct SoftMaxBackward {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  // sum(g y), or for log sum(g).
  template <bool log>
  static V term(const T* g, const T* y, int64_t count) {
    const V grad = load_up_to<Lane>(g, count, Lane(0));
    if constexpr (log) {
      return grad;
    } else {
      return grad * load_up_to<Lane>(y, count, Lane(0));
    }
  }

  template <bool log>
  static V slope(V grad, V y, V sum) {
    if constexpr (log) {
      return grad - at::vec::exp(y) * sum;
    } else {
      return y * (grad - sum);
    }
  }

  template <bool log>
  static void row(const T* g, const T* y, T* out, int64_t n) {
    V a{}, b{};
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
      a += term<log>(g + i, y + i, L);
      b += term<log>(g + i + L, y + i + L, L);
    }
    for (; i < n; i += L) {
      a += term<log>(g + i, y + i, n - i);
    }
    const V sum = splat<Lane>(fold_halves<Lane, L>(a + b, [](auto p, auto q) { return p + q; }));
    for (i = 0; i < n; i += L) {
      const V grad = load_up_to<Lane>(g + i, n - i, Lane(0));
      const V value = load_up_to<Lane>(y + i, n - i, Lane(0));
      save_up_to<T, Lane>(out + i, slope<log>(grad, value, sum), n - i);
    }
  }

  // Handles up to a register of neighboring columns; the reduced dimension has stride `inner`.
  template <bool log>
  static void columns(const T* g, const T* y, T* out, int64_t n, int64_t inner, int64_t width) {
    V sum{};
    for (int64_t k = 0; k < n; ++k) {
      sum += term<log>(g + k * inner, y + k * inner, width);
    }
    for (int64_t k = 0; k < n; ++k) {
      const V grad = load_up_to<Lane>(g + k * inner, width, Lane(0));
      const V value = load_up_to<Lane>(y + k * inner, width, Lane(0));
      save_up_to<T, Lane>(out + k * inner, slope<log>(grad, value, sum), width);
    }
  }

  template <bool log>
  static bool run(
      const void* grad, const void* output, void* result, int64_t outer, int64_t n, int64_t inner) {
    const T* g = static_cast<const T*>(grad);
    const T* y = static_cast<const T*>(output);
    T* out = static_cast<T*>(result);
    const int64_t blocks = inner == 1 ? 1 : (inner + L - 1) / L;
    const int64_t work = n * (inner == 1 ? 1 : L) * 2;
    const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / work);
    at::parallel_for(0, outer * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (inner == 1) {
          row<log>(g + i * n, y + i * n, out + i * n, n);
        } else {
          const int64_t first = i % blocks * L;
          const int64_t offset = i / blocks * n * inner + first;
          columns<log>(
              g + offset, y + offset, out + offset, n, inner, std::min<int64_t>(L, inner - first));
        }
      }
    });
    return true;
  }
};

template <class T>
bool run(
    const void* grad, const void* output, void* out, int64_t outer, int64_t n, int64_t inner,
    bool log) {
  return log ? SoftMaxBackward<T>::template run<true>(grad, output, out, outer, n, inner)
             : SoftMaxBackward<T>::template run<false>(grad, output, out, outer, n, inner);
}

bool softmax_backward_kernel(
    c10::ScalarType dtype, const void* grad, const void* output, void* out, int64_t outer,
    int64_t n, int64_t inner, bool log) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return run<float>(grad, output, out, outer, n, inner, log);
    case c10::ScalarType::Double:
      return run<double>(grad, output, out, outer, n, inner, log);
    case c10::ScalarType::Half:
      return run<c10::Half>(grad, output, out, outer, n, inner, log);
    case c10::ScalarType::BFloat16:
      return run<c10::BFloat16>(grad, output, out, outer, n, inner, log);
    default:
      return false;
  }
}

} // namespace

REGISTER_DISPATCH(softmax_backward_stub, &softmax_backward_kernel)

} // namespace at::native
