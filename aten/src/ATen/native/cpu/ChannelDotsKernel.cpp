#include <ATen/native/cpu/ChannelSums.h>

namespace at::native {
namespace {

template <class T>
struct ChannelDots : ChannelSums<T> {
  using typename ChannelSums<T>::Lane;
  using typename ChannelSums<T>::V;
  template <int kTerms>
  using Terms = typename ChannelSums<T>::template Terms<kTerms>;
  using ChannelSums<T>::grain;

  static void dots_of_channels(
      const ChannelShape& s, const T* grad, const T* in, const Lane* centre, double* sums,
      double* dots) {
    at::parallel_for(0, s.channels, grain(s.count()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const Lane m = centre[c];
        const auto [sum, dot] =
            ChannelSums<T>::template sum_channel<2>(s, c, [&](int64_t i, int64_t n) {
              const V g = load_up_to<Lane>(grad + i, n, Lane(0));
              return Terms<2>{{g, g * (load_up_to<Lane>(in + i, n, m) - splat<Lane>(m))}};
            });
        sums[c] = sum;
        dots[c] = dot;
      }
    });
  }

  static void dots_of_rows(
      const ChannelShape& s, const T* grad, const T* in, const Lane* centre, double* sums,
      double* dots) {
    ChannelSums<T>::template over_rows<2>(s, {sums, dots}, [&](int64_t i, int64_t c, int64_t n) {
      const V g = load_up_to<Lane>(grad + i, n, Lane(0));
      const V d = load_up_to<Lane>(in + i, n, Lane(0)) - load_up_to<Lane>(centre + c, n, Lane(0));
      return Terms<2>{{g, g * d}};
    });
  }

  static bool run(
      const ChannelShape& s, const void* grad, const void* in, const void* centre, double* sums,
      double* products) {
    (s.channels_last ? dots_of_rows : dots_of_channels)(
        s, static_cast<const T*>(grad), static_cast<const T*>(in), static_cast<const Lane*>(centre),
        sums, products);
    return true;
  }
};

bool channel_dots_kernel(
    c10::ScalarType dtype, const ChannelShape& shape, const void* grad, const void* in,
    const void* centre, double* sums, double* dots) {
  return for_norm_type(
      dtype, [&]<class T>(T) { return ChannelDots<T>::run(shape, grad, in, centre, sums, dots); });
}

} // namespace

REGISTER_DISPATCH(channel_dots_stub, &channel_dots_kernel)

} // namespace at::native
