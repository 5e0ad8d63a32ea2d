#pragma once

#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

// Sums over channels. Lanes accumulate a few thousand elements before they are added in double.

namespace at::native {
inline namespace CPU_CAPABILITY {

inline constexpr int64_t kFlush = 4096;    // elements of a channel
inline constexpr int64_t kFlushRows = 128; // channels last

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
  // the number of valid lanes. flush() is called every few thousand elements and at the end.
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
  // channels-last arrays and adds the lanes to `totals`, one array of channels per term.
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
};

// Calls f with a value of the dtype's type; returns false for dtypes that norms do not support.
template <class F>
bool for_norm_type(c10::ScalarType dtype, const F& f) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return f(float());
    case c10::ScalarType::Double:
      return f(double());
    case c10::ScalarType::Half:
      return f(c10::Half());
    case c10::ScalarType::BFloat16:
      return f(c10::BFloat16());
    default:
      return false;
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
