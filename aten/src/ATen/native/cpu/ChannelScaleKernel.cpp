#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>

namespace at::native {
namespace {

template <class T>
struct ChannelScale {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  // A coefficient for a vector of lanes: the same for all of them, or one per channel.
  struct Own {
    V value;
    V at(int64_t, int64_t) const { return value; }
  };
  struct Each {
    const Lane* values;
    V at(int64_t i, int64_t count) const { return load_up_to<Lane>(values + i, count, Lane(0)); }
  };

  // Calls run(first element, count, coefficients) for all runs of adjacent elements; `coefficients`
  // turns an array with one value per channel into Own or Each.
  template <class Run>
  static void over_runs(const ChannelShape& s, const Run& run) {
    const int64_t length = s.channels_last ? s.channels : s.inner;
    const int64_t runs = s.batch * (s.channels_last ? s.inner : s.channels);
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, length));
    at::parallel_for(0, runs, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        if (s.channels_last) {
          run(r * length, length, [](const Lane* values) { return Each{values}; });
        } else {
          const int64_t channel = r % s.channels;
          run(r * length, length,
              [channel](const Lane* values) { return Own{splat<Lane>(values[channel])}; });
        }
      }
    });
  }

  static bool scale(
      const ChannelShape& s, const void* in, const void* scales, const void* shifts, void* out) {
    over_runs(s, [&](int64_t first, int64_t count, const auto& coefficients) {
      const T* x = static_cast<const T*>(in) + first;
      T* y = static_cast<T*>(out) + first;
      const auto by = coefficients(static_cast<const Lane*>(scales));
      const auto shift = coefficients(static_cast<const Lane*>(shifts));
      for (int64_t i = 0; i < count; i += L) {
        const int64_t n = count - i;
        const V value = load_up_to<Lane>(x + i, n, Lane(0));
        save_up_to<T, Lane>(y + i, at::vec::fma(value, by.at(i, n), shift.at(i, n)), n);
      }
    });
    return true;
  }

  static bool combine(
      const ChannelShape& s, const void* grad, const void* in, const ChannelCoefficients& c,
      void* out) {
    over_runs(s, [&](int64_t first, int64_t count, const auto& coefficients) {
      const T* g = static_cast<const T*>(grad) + first;
      const T* x = static_cast<const T*>(in) + first;
      T* y = static_cast<T*>(out) + first;
      const auto by_grad = coefficients(static_cast<const Lane*>(c.by_grad));
      const auto by_in = coefficients(static_cast<const Lane*>(c.by_in));
      const auto centre = coefficients(static_cast<const Lane*>(c.centre));
      const auto shift = coefficients(static_cast<const Lane*>(c.shift));
      for (int64_t i = 0; i < count; i += L) {
        const int64_t n = count - i;
        const V deviation = load_up_to<Lane>(x + i, n, Lane(0)) - centre.at(i, n);
        const V rest = at::vec::fma(deviation, by_in.at(i, n), shift.at(i, n));
        const V value = load_up_to<Lane>(g + i, n, Lane(0));
        save_up_to<T, Lane>(y + i, at::vec::fma(value, by_grad.at(i, n), rest), n);
      }
    });
    return true;
  }
};

template <class F>
bool for_norm_type(c10::ScalarType dtype, const F& f) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return f(ChannelScale<float>());
    case c10::ScalarType::Double:
      return f(ChannelScale<double>());
    case c10::ScalarType::Half:
      return f(ChannelScale<c10::Half>());
    case c10::ScalarType::BFloat16:
      return f(ChannelScale<c10::BFloat16>());
    default:
      return false;
  }
}

bool channel_scale_kernel(
    c10::ScalarType dtype, const ChannelShape& shape, const void* in, const void* scale,
    const void* shift, void* out) {
  return for_norm_type(
      dtype, [&](auto kernel) { return kernel.scale(shape, in, scale, shift, out); });
}

bool channel_combine_kernel(
    c10::ScalarType dtype, const ChannelShape& shape, const void* grad, const void* in,
    const ChannelCoefficients& coefficients, void* out) {
  return for_norm_type(
      dtype, [&](auto kernel) { return kernel.combine(shape, grad, in, coefficients, out); });
}

} // namespace

REGISTER_DISPATCH(channel_scale_stub, &channel_scale_kernel)
REGISTER_DISPATCH(channel_combine_stub, &channel_combine_kernel)

} // namespace at::native
