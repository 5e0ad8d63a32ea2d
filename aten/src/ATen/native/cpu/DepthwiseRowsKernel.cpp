#include <ATen/native/ConvRows.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

struct Range {
  int64_t begin, end;
};

// The taps of a kernel that meet elements inside a row or column of `size`, if the first one meets
// element `first`.
Range taps_inside(int64_t first, int64_t taps, int64_t dilation, int64_t size) {
  const int64_t before = first < 0 ? at::divup(-first, dilation) : 0;
  const int64_t until = size > first ? at::divup(size - first, dilation) : 0;
  return {std::min(before, taps), std::min(until, taps)};
}

template <class T>
struct DepthwiseRows {
  using V = Lanes<T>;
  static constexpr int L = kLanes<T>;
  static constexpr int kTogether = 8; // positions of a row whose sums stay in registers

  const ConvShape& s;
  const T* input;
  const T* weight;
  const T* bias;
  T* output;

  // One row of positions of the output, for L channels.
  struct Row {
    const T* image; // in the input
    T* out;
    int64_t first_line; // the input's line under the first tap
    Range lines;        // those taps whose lines are inside
    int64_t channel;
  };

  // The sums of kPositions positions for which the same taps of a line lie inside the image.
  template <int kPositions>
  void sums(const Row& row, int64_t position, Range taps) const {
    const int64_t first = position * s.stride[2] - s.pad[2];
    V sum[kPositions];
    std::fill_n(sum, kPositions, bias == nullptr ? V{} : load_lanes<T>(bias + row.channel));
    for (int64_t h = row.lines.begin; h < row.lines.end; ++h) {
      const int64_t line = (row.first_line + h * s.dilation[1]) * s.in[2] + first;
      for (int64_t w = taps.begin; w < taps.end; ++w) {
        const V by = load_lanes<T>(weight + (h * s.kernel[2] + w) * s.in_channels + row.channel);
        const T* from = row.image + (line + w * s.dilation[2]) * s.in_channels + row.channel;
#pragma GCC unroll 8
        for (int i = 0; i < kPositions; ++i) {
          sum[i] = at::vec::fma(load_lanes<T>(from + i * s.stride[2] * s.in_channels), by, sum[i]);
        }
      }
    }
    T* to = row.out + position * s.in_channels + row.channel;
#pragma GCC unroll 8
    for (int i = 0; i < kPositions; ++i, to += s.in_channels) {
      store_lanes<T>(to, sum[i]);
    }
  }

  // The sums of kPositions adjacent positions that meet kTaps adjacent elements each, of which
  // every one is read once.
  template <int kTaps, int kPositions>
  void sums_of_line(const Row& row, int64_t position) const {
    const int64_t first = position - s.pad[2];
    const int64_t begin = std::max<int64_t>(0, -first), end = s.in[2] - first; // inside the image
    V sum[kPositions];
    std::fill_n(sum, kPositions, bias == nullptr ? V{} : load_lanes<T>(bias + row.channel));
    for (int64_t h = row.lines.begin; h < row.lines.end; ++h) {
      const T* by = weight + h * kTaps * s.in_channels + row.channel;
      V taps[kTaps];
#pragma GCC unroll 8
      for (int w = 0; w < kTaps; ++w) {
        taps[w] = load_lanes<T>(by + w * s.in_channels);
      }
      const int64_t line = (row.first_line + h * s.dilation[1]) * s.in[2] + first;
      const T* from = row.image + line * s.in_channels + row.channel;
#pragma GCC unroll 16
      for (int i = 0; i < kPositions + kTaps - 1; ++i) {
        if (i < begin || i >= end) {
          continue;
        }
        const V value = load_lanes<T>(from + i * s.in_channels);
#pragma GCC unroll 8
        for (int w = 0; w < kTaps; ++w) {
          if (i >= w && i - w < kPositions) {
            sum[i - w] = at::vec::fma(value, taps[w], sum[i - w]);
          }
        }
      }
    }
    T* to = row.out + position * s.in_channels + row.channel;
#pragma GCC unroll 8
    for (int i = 0; i < kPositions; ++i) {
      store_lanes<T>(to + i * s.in_channels, sum[i]);
    }
  }

  // All positions of a row, if taps and positions are adjacent.
  template <int kTaps>
  void adjacent(const Row& row) const {
    constexpr int kHalf = kTogether / 2;
    int64_t p = 0;
    for (; p + kTogether <= s.out[2]; p += kTogether) {
      sums_of_line<kTaps, kTogether>(row, p);
    }
    // The last block overlaps the one before it.
    for (; p < s.out[2] && s.out[2] >= kHalf; p += kHalf) {
      sums_of_line<kTaps, kHalf>(row, std::min(p, s.out[2] - kHalf));
    }
    one_by_one(row, {p, s.out[2]});
  }

  // The positions of a row whose taps all lie inside the image.
  Range inner_positions() const {
    const int64_t begin = at::divup(s.pad[2], s.stride[2]);
    const int64_t room = s.in[2] + s.pad[2] - (s.kernel[2] - 1) * s.dilation[2];
    const int64_t end = room > 0 ? at::divup(room, s.stride[2]) : 0;
    return {begin, std::min(end, s.out[2])};
  }

  void one_by_one(const Row& row, Range positions) const {
    for (int64_t p = positions.begin; p < positions.end; ++p) {
      const int64_t first = p * s.stride[2] - s.pad[2];
      sums<1>(row, p, taps_inside(first, s.kernel[2], s.dilation[2], s.in[2]));
    }
  }

  void channels(const Row& row) const {
    if (s.stride[2] == 1 && s.dilation[2] == 1) {
      switch (s.kernel[2]) {
        case 3:
          return adjacent<3>(row);
        case 5:
          return adjacent<5>(row);
        case 7:
          return adjacent<7>(row);
        default:
          break;
      }
    }
    const Range inner = inner_positions();
    if (inner.end - inner.begin < kTogether) {
      return one_by_one(row, {0, s.out[2]});
    }
    one_by_one(row, {0, inner.begin});
    // The last block overlaps the one before it.
    for (int64_t p = inner.begin; p < inner.end; p += kTogether) {
      sums<kTogether>(row, std::min(p, inner.end - kTogether), {0, s.kernel[2]});
    }
    one_by_one(row, {inner.end, s.out[2]});
  }

  void row(int64_t image, int64_t line) const {
    const int64_t first = line * s.stride[1] - s.pad[1];
    Row row{
        input + image * s.in[1] * s.in[2] * s.in_channels,
        output + (image * s.out[1] + line) * s.out[2] * s.in_channels, first,
        taps_inside(first, s.kernel[1], s.dilation[1], s.in[1]), 0};
    // The last block overlaps the one before it.
    for (int64_t c = 0; c < s.in_channels; c += L) {
      row.channel = std::min(c, s.in_channels - L);
      channels(row);
    }
  }

  void run() const {
    const int64_t work = s.out[2] * s.in_channels * volume(s.kernel);
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, work));
    at::parallel_for(0, s.batch * s.out[1], grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        row(i / s.out[1], i % s.out[1]);
      }
    });
  }
};

// The gradient of the weight, from the input and the gradient of the output.
template <class T>
struct DepthwiseWeight {
  using V = Lanes<T>;
  static constexpr int L = kLanes<T>;

  const ConvShape& s;
  const T* input;
  const T* grad;
  T* weight;

  // The positions of a row for which a tap of a line lies inside the image.
  Range positions_inside(int64_t tap) const {
    const int64_t first = tap * s.dilation[2] - s.pad[2];
    const int64_t begin = first < 0 ? at::divup(-first, s.stride[2]) : 0;
    const int64_t end = s.in[2] > first ? at::divup(s.in[2] - first, s.stride[2]) : 0;
    return {begin, std::min(end, s.out[2])};
  }

  // Adds the products of elements and gradients, which lie `step` and a pixel apart.
  V products(const T* from, int64_t step, const T* by, int64_t positions) const {
    constexpr int kChains = 4; // additions that do not wait for each other
    V sum[kChains] = {};
    const auto add = [&](int64_t p, int chain) {
      const V value = load_lanes<T>(from + p * step);
      const V factor = load_lanes<T>(by + p * s.in_channels);
      sum[chain] = at::vec::fma(value, factor, sum[chain]);
    };
    int64_t p = 0;
    for (; p + kChains <= positions; p += kChains) {
      for (int chain = 0; chain < kChains; ++chain) {
        add(p + chain, chain);
      }
    }
    for (; p < positions; ++p) {
      add(p, 0);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  // All taps for L channels; `sums` has a register for each.
  void channels(int64_t c, V* sums) const {
    const int64_t taps = s.kernel[1] * s.kernel[2];
    std::fill_n(sums, taps, V{});
    for (int64_t i = 0; i < s.batch * s.out[1]; ++i) {
      const int64_t first = i % s.out[1] * s.stride[1] - s.pad[1];
      const Range lines = taps_inside(first, s.kernel[1], s.dilation[1], s.in[1]);
      const T* by = grad + i * s.out[2] * s.in_channels + c;
      for (int64_t tap = lines.begin * s.kernel[2]; tap < lines.end * s.kernel[2]; ++tap) {
        const int64_t h = tap / s.kernel[2], w = tap % s.kernel[2];
        const Range inside = positions_inside(w);
        const int64_t line = i / s.out[1] * s.in[1] + first + h * s.dilation[1];
        const int64_t place = inside.begin * s.stride[2] + w * s.dilation[2] - s.pad[2];
        sums[tap] += products(
            input + (line * s.in[2] + place) * s.in_channels + c, s.stride[2] * s.in_channels,
            by + inside.begin * s.in_channels, inside.end - inside.begin);
      }
    }
    for (int64_t tap = 0; tap < taps; ++tap) {
      store_lanes<T>(weight + tap * s.in_channels + c, sums[tap]);
    }
  }

  // Threads share the channels, so that the sums do not depend on their number.
  void run() const {
    const int64_t taps = volume(s.kernel);
    const int64_t work = s.batch * volume(s.out) * taps * L;
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, work));
    at::parallel_for(0, at::divup(s.in_channels, L), grain, [&](int64_t begin, int64_t end) {
      const c10::DataPtr room = c10::GetCPUAllocator()->allocate(taps * sizeof(V));
      for (int64_t block = begin; block < end; ++block) {
        channels(std::min(block * L, s.in_channels - L), static_cast<V*>(room.get()));
      }
    });
  }
};

void depthwise_rows_kernel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output) {
  const auto run = [&]<class T>(T) {
    DepthwiseRows<T>{
        shape, static_cast<const T*>(input), static_cast<const T*>(weight),
        static_cast<const T*>(bias), static_cast<T*>(output)}
        .run();
  };
  dtype == c10::ScalarType::Double ? run(double()) : run(float());
}

void depthwise_weight_kernel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight) {
  const auto run = [&]<class T>(T) {
    DepthwiseWeight<T>{
        shape, static_cast<const T*>(input), static_cast<const T*>(output), static_cast<T*>(weight)}
        .run();
  };
  dtype == c10::ScalarType::Double ? run(double()) : run(float());
}

} // namespace

REGISTER_DISPATCH(depthwise_weight_stub, &depthwise_weight_kernel)
REGISTER_DISPATCH(depthwise_rows_stub, &depthwise_rows_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
