#pragma once

#include <ATen/native/NormKernels.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
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

  static int64_t grain(int64_t size) {
    return std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, size));
  }

  template <int kTerms>
  struct Terms {
    V values[kTerms];
  };

  // Independent sums, whose additions do not wait for each other.
  static constexpr int kChains = 4;
  template <int kTerms>
  struct Chains {
    V sums[kChains][kTerms] = {};

    void add(int chain, const Terms<kTerms>& terms) {
      for (int term = 0; term < kTerms; ++term) {
        sums[chain][term] += terms.values[term];
      }
    }
    V total(int term) const {
      return (sums[0][term] + sums[1][term]) + (sums[2][term] + sums[3][term]);
    }
  };

  // Adds up the Terms that terms(index of the element, lanes) returns for all registers of a
  // channel; the last ones of an image may have fewer valid lanes.
  template <int kTerms, class At>
  static std::array<double, kTerms> sum_channel(
      const ChannelShape& s, int64_t channel, const At& terms) {
    std::array<double, kTerms> totals{};
    Chains<kTerms> chains;
    const auto flush = [&] {
      for (int term = 0; term < kTerms; ++term) {
        const auto add = [](Lane p, Lane q) { return p + q; };
        totals[term] += static_cast<double>(fold_lanes<Lane>(chains.total(term), add));
      }
      chains = {};
    };
    int64_t since = 0;
    for (int64_t n = 0; n < s.batch; ++n) {
      const int64_t first = (n * s.all_channels + channel) * s.inner, last = first + s.inner;
      for (int64_t i = first; i < last;) {
        const int64_t end = std::min(last, i + kFlush - since);
        since += end - i;
        for (; i + kChains * L <= end; i += kChains * L) {
          for (int chain = 0; chain < kChains; ++chain) {
            chains.add(chain, terms(i + chain * L, L));
          }
        }
        for (; i < end; i += std::min<int64_t>(L, end - i)) {
          chains.add(0, terms(i, std::min<int64_t>(L, end - i)));
        }
        if (since >= kFlush) {
          flush();
          since = 0;
        }
      }
    }
    flush();
    return totals;
  }

  // Adds up the Terms that terms(index of the element, its channel, lanes) returns for all
  // registers of channels-last arrays, into `totals`, one array of channels per term.
  template <int kTerms, class At>
  static void over_rows(
      const ChannelShape& s, const std::array<double*, kTerms>& totals, const At& terms) {
    const int64_t rows = s.count(), width = kTerms * s.channels;
    const int64_t parts =
        std::clamp<int64_t>(rows / grain(s.channels), 1, std::max(1, at::get_num_threads()));
    const int64_t step = at::divup(rows, parts);
    std::vector<double> partial(static_cast<size_t>(parts * width));
    at::parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      std::vector<Lane> sums(static_cast<size_t>(width));
      for (int64_t part = begin; part < end; ++part) {
        const int64_t last = std::min(rows, (part + 1) * step);
        for (int64_t r = part * step; r < last; r += kFlushRows) {
          sum_rows<kTerms>(s, r, std::min(last, r + kFlushRows), terms, sums.data());
          for (int64_t i = 0; i < width; ++i) {
            partial[part * width + i] += static_cast<double>(sums[i]);
          }
        }
      }
    });
    for (int term = 0; term < kTerms; ++term) {
      std::fill_n(totals[term], s.channels, 0.0);
      for (int64_t part = 0; part < parts; ++part) {
        for (int64_t c = 0; c < s.channels; ++c) {
          totals[term][c] += partial[part * width + term * s.channels + c];
        }
      }
    }
  }

  // Sets sums[term][channel] for some rows, register by register; the last one overlaps the one
  // before it.
  template <int kTerms, class At>
  static void sum_rows(
      const ChannelShape& s, int64_t first, int64_t last, const At& terms, Lane* sums) {
    for (int64_t next = 0; next < s.channels; next += L) {
      const int64_t c = std::max<int64_t>(0, std::min(next, s.channels - L));
      const int64_t n = s.channels - c;
      Chains<kTerms> chains;
      const auto add = [&](int64_t row, int chain) {
        chains.add(chain, terms(row * s.channels + c, c, n));
      };
      int64_t r = first;
      for (; r + kChains <= last; r += kChains) {
        for (int chain = 0; chain < kChains; ++chain) {
          add(r + chain, chain);
        }
      }
      for (; r < last; ++r) {
        add(r, 0);
      }
      for (int term = 0; term < kTerms; ++term) {
        save_up_to<Lane, Lane>(sums + term * s.channels + c, chains.total(term), n);
      }
    }
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
