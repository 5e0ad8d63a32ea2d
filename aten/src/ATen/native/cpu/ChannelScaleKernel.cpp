#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>
#include <vector>

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

  // In channels-last order, the elements of so many pixels that they fill whole registers and make
  // a run worth its start.
  static int64_t tile(const ChannelShape& s) {
    const int64_t step = std::lcm(std::max<int64_t>(s.channels, 1), int64_t{L});
    return at::divup(256, step) * step;
  }

  // Coefficients with one value per channel; in channels-last order, repeated for a tile.
  class Coefficients {
   public:
    Coefficients(const ChannelShape& s, const void* values)
        : values_(static_cast<const Lane*>(values)) {
      if (s.channels_last) {
        for (int64_t i = 0; i < tile(s); i += std::max<int64_t>(s.channels, 1)) {
          repeated_.insert(repeated_.end(), values_, values_ + s.channels);
        }
      }
    }

    Each of_tile() const { return {repeated_.data()}; }
    Own of_channel(int64_t channel) const { return {splat<Lane>(values_[channel])}; }

   private:
    const Lane* values_;
    std::vector<Lane> repeated_;
  };

  // Calls run(first element, count, coefficients) for all runs of adjacent elements; `coefficients`
  // turns Coefficients into Own or Each.
  template <class Run>
  static void over_runs(const ChannelShape& s, const Run& run) {
    const int64_t all = s.batch * s.channels * s.inner;
    if (all == 0) {
      return;
    }
    const int64_t length = s.channels_last ? tile(s) : s.inner;
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, length));
    at::parallel_for(0, at::divup(all, length), grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        if (s.channels_last) {
          run(r * length, std::min(length, all - r * length),
              [](const Coefficients& c) { return c.of_tile(); });
        } else {
          const int64_t image = r / s.channels, channel = r % s.channels;
          run((image * s.all_channels + channel) * length, length,
              [channel](const Coefficients& c) { return c.of_channel(channel); });
        }
      }
    });
  }

  static bool scale(
      const ChannelShape& s, const void* in, const void* scales, const void* shifts, void* out) {
    const Coefficients all_scales(s, scales), all_shifts(s, shifts);
    over_runs(s, [&](int64_t first, int64_t count, const auto& coefficients) {
      const T* x = static_cast<const T*>(in) + first;
      T* y = static_cast<T*>(out) + first;
      const auto by = coefficients(all_scales);
      const auto shift = coefficients(all_shifts);
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
    const Coefficients by_grads(s, c.by_grad), by_ins(s, c.by_in), centres(s, c.centre);
    const Coefficients shifts(s, c.shift);
    over_runs(s, [&](int64_t first, int64_t count, const auto& coefficients) {
      const T* g = static_cast<const T*>(grad) + first;
      const T* x = static_cast<const T*>(in) + first;
      T* y = static_cast<T*>(out) + first;
      const auto by_grad = coefficients(by_grads);
      const auto by_in = coefficients(by_ins);
      const auto centre = coefficients(centres);
      const auto shift = coefficients(shifts);
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
