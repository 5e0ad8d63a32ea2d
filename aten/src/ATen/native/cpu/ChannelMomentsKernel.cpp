#include <ATen/native/cpu/ChannelSums.h>

namespace at::native {
namespace {

template <class T>
struct ChannelMoments : ChannelSums<T> {
  using typename ChannelSums<T>::Lane;
  using typename ChannelSums<T>::V;
  template <int kTerms>
  using Terms = typename ChannelSums<T>::template Terms<kTerms>;
  using ChannelSums<T>::grain;

  static void moments_of_channels(
      const ChannelShape& s, const T* in, double* mean, double* deviations) {
    const double count = static_cast<double>(s.count());
    at::parallel_for(0, s.channels, grain(s.count()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const auto [sum] = ChannelSums<T>::template sum_channel<1>(s, c, [&](int64_t i, int64_t n) {
          return Terms<1>{{load_up_to<Lane>(in + i, n, Lane(0))}};
        });
        mean[c] = sum / count;
        const Lane centre = static_cast<Lane>(mean[c]);
        const auto [squares] =
            ChannelSums<T>::template sum_channel<1>(s, c, [&](int64_t i, int64_t n) {
              const V d = load_up_to<Lane>(in + i, n, centre) - splat<Lane>(centre);
              return Terms<1>{{d * d}};
            });
        // The centre is the rounded mean: sum((x - m)^2) = sum((x - c)^2) - count * (m - c)^2.
        const double off = mean[c] - static_cast<double>(centre);
        deviations[c] = std::max(0.0, squares - count * off * off);
      }
    });
  }

  static void moments_of_rows(
      const ChannelShape& s, const T* in, double* mean, double* deviations) {
    ChannelSums<T>::template over_rows<1>(s, {mean}, [&](int64_t i, int64_t, int64_t n) {
      return Terms<1>{{load_up_to<Lane>(in + i, n, Lane(0))}};
    });
    std::vector<Lane> centre(static_cast<size_t>(s.channels));
    for (int64_t c = 0; c < s.channels; ++c) {
      mean[c] /= static_cast<double>(s.count());
      centre[c] = static_cast<Lane>(mean[c]);
    }
    ChannelSums<T>::template over_rows<1>(s, {deviations}, [&](int64_t i, int64_t c, int64_t n) {
      const V d =
          load_up_to<Lane>(in + i, n, Lane(0)) - load_up_to<Lane>(centre.data() + c, n, Lane(0));
      return Terms<1>{{d * d}};
    });
  }

  static bool run(const ChannelShape& s, const void* in, double* mean, double* deviations) {
    (s.channels_last ? moments_of_rows : moments_of_channels)(
        s, static_cast<const T*>(in), mean, deviations);
    return true;
  }
};

bool channel_moments_kernel(
    c10::ScalarType dtype, const ChannelShape& shape, const void* in, double* mean,
    double* deviations) {
  return for_norm_type(
      dtype, [&]<class T>(T) { return ChannelMoments<T>::run(shape, in, mean, deviations); });
}

} // namespace

REGISTER_DISPATCH(channel_moments_stub, &channel_moments_kernel)

} // namespace at::native
