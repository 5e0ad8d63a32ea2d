#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

// Sums over channels. Lanes take a few thousand elements before they are added in double.

namespace at::native {
namespace {

constexpr int64_t kFlush = 4096;    // elements of a channel
constexpr int64_t kFlushRows = 128; // channels last

template <class T>
struct ChannelSums {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;

  static double total(V v) {
    return static_cast<double>(fold_lanes<Lane>(v, [](Lane p, Lane q) { return p + q; }));
  }

  static int64_t grain(int64_t size) {
    return std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, size));
  }

  // Calls element(index of the element, lanes, where) for all of a channel's registers; `where` is
  // the number of lanes that count. flush() is called every few thousand elements and at the end.
  template <class Element, class Flush>
  static void over_channel(
      const ChannelShape& s, int64_t channel, const Element& element, const Flush& flush) {
    int64_t since = 0;
    for (int64_t n = 0; n < s.batch; ++n) {
      const int64_t first = (n * s.channels + channel) * s.inner;
      for (int64_t i = 0; i < s.inner;) {
        const int64_t end = std::min(s.inner, i + kFlush - since);
        since += end - i;
        for (; i + L <= end; i += L) {
          element(first + i, L);
        }
        if (i < end) {
          element(first + i, end - i);
          i = end;
        }
        if (since >= kFlush) {
          flush();
          since = 0;
        }
      }
    }
    flush();
  }

  // Calls row(index of the row's first element, lanes of one term each) for all rows of
  // channels-last arrays; lanes go to `totals`, one array of channels for each term.
  template <class Row>
  static void over_rows(
      const ChannelShape& s, int terms, const std::vector<double*>& totals, const Row& row) {
    const int64_t rows = s.count(), width = terms * s.channels;
    const int64_t parts =
        std::clamp<int64_t>(rows / grain(s.channels), 1, std::max(1, at::get_num_threads()));
    const int64_t step = at::divup(rows, parts);
    std::vector<double> partial(static_cast<size_t>(parts * width));
    at::parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      std::vector<Lane> lanes(static_cast<size_t>(width));
      for (int64_t part = begin; part < end; ++part) {
        const int64_t last = std::min(rows, (part + 1) * step);
        for (int64_t r = part * step; r < last;) {
          std::fill(lanes.begin(), lanes.end(), Lane(0));
          for (const int64_t stop = std::min(last, r + kFlushRows); r < stop; ++r) {
            row(r * s.channels, lanes.data());
          }
          for (int64_t i = 0; i < width; ++i) {
            partial[part * width + i] += static_cast<double>(lanes[i]);
          }
        }
      }
    });
    for (int term = 0; term < terms; ++term) {
      std::fill_n(totals[term], s.channels, 0.0);
      for (int64_t part = 0; part < parts; ++part) {
        for (int64_t c = 0; c < s.channels; ++c) {
          totals[term][c] += partial[part * width + term * s.channels + c];
        }
      }
    }
  }

  static void add_to(Lane* sums, V value, int64_t count) {
    save_up_to<Lane, Lane>(sums, load_up_to<Lane>(sums, count, Lane(0)) + value, count);
  }

  static void moments_of_channels(
      const ChannelShape& s, const T* in, double* mean, double* deviations) {
    const double count = static_cast<double>(s.count());
    at::parallel_for(0, s.channels, grain(s.count()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        double sum = 0, squares = 0;
        V lanes{};
        over_channel(
            s, c, [&](int64_t i, int64_t n) { lanes += load_up_to<Lane>(in + i, n, Lane(0)); },
            [&] {
              sum += total(lanes);
              lanes = V{};
            });
        mean[c] = sum / count;
        const Lane centre = static_cast<Lane>(mean[c]);
        const V m = splat<Lane>(centre);
        over_channel(
            s, c,
            [&](int64_t i, int64_t n) {
              const V d = load_up_to<Lane>(in + i, n, centre) - m;
              lanes = at::vec::fma(d, d, lanes);
            },
            [&] {
              squares += total(lanes);
              lanes = V{};
            });
        // The centre is the mean rounded: sum((x - m)^2) = sum((x - c)^2) - count * (m - c)^2.
        const double off = mean[c] - static_cast<double>(centre);
        deviations[c] = std::max(0.0, squares - count * off * off);
      }
    });
  }

  static void moments_of_rows(
      const ChannelShape& s, const T* in, double* mean, double* deviations) {
    const int64_t channels = s.channels;
    over_rows(s, 1, {mean}, [&](int64_t first, Lane* sums) {
      for (int64_t c = 0; c < channels; c += L) {
        add_to(sums + c, load_up_to<Lane>(in + first + c, channels - c, Lane(0)), channels - c);
      }
    });
    std::vector<Lane> centre(static_cast<size_t>(channels));
    for (int64_t c = 0; c < channels; ++c) {
      mean[c] /= static_cast<double>(s.count());
      centre[c] = static_cast<Lane>(mean[c]);
    }
    over_rows(s, 1, {deviations}, [&](int64_t first, Lane* sums) {
      for (int64_t c = 0; c < channels; c += L) {
        const V d = load_up_to<Lane>(in + first + c, channels - c, Lane(0)) -
            load_up_to<Lane>(centre.data() + c, channels - c, Lane(0));
        add_to(sums + c, d * d, channels - c);
      }
    });
  }

  static bool moments(const ChannelShape& s, const void* in, double* mean, double* deviations) {
    (s.channels_last ? moments_of_rows : moments_of_channels)(
        s, static_cast<const T*>(in), mean, deviations);
    return true;
  }

  static void dots_of_channels(
      const ChannelShape& s, const T* grad, const T* in, const Lane* centre, double* sums,
      double* dots) {
    at::parallel_for(0, s.channels, grain(s.count()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const V m = splat<Lane>(centre[c]);
        V sum{}, dot{};
        sums[c] = dots[c] = 0;
        over_channel(
            s, c,
            [&](int64_t i, int64_t n) {
              const V g = load_up_to<Lane>(grad + i, n, Lane(0));
              sum += g;
              dot = at::vec::fma(g, load_up_to<Lane>(in + i, n, centre[c]) - m, dot);
            },
            [&] {
              sums[c] += total(sum);
              dots[c] += total(dot);
              sum = dot = V{};
            });
      }
    });
  }

  static void dots_of_rows(
      const ChannelShape& s, const T* grad, const T* in, const Lane* centre, double* sums,
      double* dots) {
    const int64_t channels = s.channels;
    over_rows(s, 2, {sums, dots}, [&](int64_t first, Lane* lanes) {
      for (int64_t c = 0; c < channels; c += L) {
        const int64_t n = channels - c;
        const V g = load_up_to<Lane>(grad + first + c, n, Lane(0));
        const V d =
            load_up_to<Lane>(in + first + c, n, Lane(0)) - load_up_to<Lane>(centre + c, n, Lane(0));
        add_to(lanes + c, g, n);
        add_to(lanes + channels + c, g * d, n);
      }
    });
  }

  static bool dots(
      const ChannelShape& s, const void* grad, const void* in, const void* centre, double* sums,
      double* products) {
    (s.channels_last ? dots_of_rows : dots_of_channels)(
        s, static_cast<const T*>(grad), static_cast<const T*>(in), static_cast<const Lane*>(centre),
        sums, products);
    return true;
  }
};

template <class F>
bool for_norm_type(c10::ScalarType dtype, const F& f) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return f(ChannelSums<float>());
    case c10::ScalarType::Double:
      return f(ChannelSums<double>());
    case c10::ScalarType::Half:
      return f(ChannelSums<c10::Half>());
    case c10::ScalarType::BFloat16:
      return f(ChannelSums<c10::BFloat16>());
    default:
      return false;
  }
}

bool channel_moments_kernel(
    c10::ScalarType dtype, const ChannelShape& shape, const void* in, double* mean,
    double* deviations) {
  return for_norm_type(dtype, [&](auto sums) { return sums.moments(shape, in, mean, deviations); });
}

bool channel_dots_kernel(
    c10::ScalarType dtype, const ChannelShape& shape, const void* grad, const void* in,
    const void* centre, double* sums, double* dots) {
  return for_norm_type(
      dtype, [&](auto kernel) { return kernel.dots(shape, grad, in, centre, sums, dots); });
}

} // namespace

REGISTER_DISPATCH(channel_moments_stub, &channel_moments_kernel)
REGISTER_DISPATCH(channel_dots_stub, &channel_dots_kernel)

} // namespace at::native
