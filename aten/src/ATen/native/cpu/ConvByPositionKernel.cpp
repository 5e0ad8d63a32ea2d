#include <ATen/native/cpu/Convolver.h>

#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {

namespace {

// Positions in lanes: each step loads a few registers of them and broadcasts a weight per channel.
// Registers continue past the ends of rows, so positions must be one place apart, and rows of sums
// as far apart as the source's rows. Works for any number of channels.
template <typename T>
struct PositionTile {
  // Chosen so that accumulators, columns and a broadcast weight fit the register file.
  static constexpr int64_t kChannels = at::vec::kVectorBytes == 64 ? 8 : 4;
  static constexpr int64_t kPositions = 768;
  static constexpr int64_t kRoom = kPositions + kLanes<T>; // size of a channel's sums
  static constexpr int64_t kOverrun = kLanes<T>; // number of elements read past the last position
  static constexpr bool kPositionsAdjoin = true;
  static constexpr int64_t kSteps = std::numeric_limits<int64_t>::max() / 2; // not divided

  static int64_t packed_channels(int64_t channels) {
    if (std::is_integral_v<T>) { // rare: not worth separate code for each width
      return kChannels;
    }
    return channels == 3 ? 4 : channels == 5 ? 6 : channels == 7 ? 8 : channels;
  }

  static int64_t pitch(const ConvJob<T>& job) { return job.row_step; }

  static void sum(const ConvJob<T>& job, T* sums) {
    if constexpr (!std::is_integral_v<T>) {
      switch (job.channels) {
        case 1:
          return sum_registers<1>(job, sums);
        case 2:
          return sum_registers<2>(job, sums);
        default:
          break;
      }
      if constexpr (kChannels == 8) {
        if (job.channels == 4) {
          return sum_registers<4>(job, sums);
        }
        if (job.channels == 6) {
          return sum_registers<6>(job, sums);
        }
      }
    }
    sum_registers<kChannels>(job, sums);
  }

 private:
  template <int kWidth>
  static void sum_registers(const ConvJob<T>& job, T* sums) {
    // With few channels, more columns are needed to keep the multipliers busy.
    constexpr int kColumns = kChannels == 8 && kWidth <= 4 ? 4 : 3;
    const int64_t positions = (job.rows - 1) * job.row_step + job.columns;
    const int64_t registers = (positions + kLanes<T> - 1) / kLanes<T>;
    int64_t at = 0;
    for (int64_t left = registers; left > 0; left = registers - at) {
      if (left >= kColumns && left != kColumns + 1) {
        tile<kWidth, kColumns>(job, at * kLanes<T>, sums);
        at += kColumns;
      } else if (left >= 2) {
        tile<kWidth, 2>(job, at * kLanes<T>, sums);
        at += 2;
      } else {
        tile<kWidth, 1>(job, at * kLanes<T>, sums);
        at += 1;
      }
    }
  }

  template <int kWidth, int kColumns>
  static void tile(const ConvJob<T>& job, int64_t at, T* sums) {
    Lanes<T> sum[kWidth][kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kWidth; ++c) {
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) {
        sum[c][j] = splat<T>(job.bias[c]);
      }
    }
    const T* weights = job.weights;
    for (int64_t s = 0; s < job.count; ++s, weights += kWidth) {
      const T* from = job.source + at + job.steps[s];
      Lanes<T> in[kColumns];
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) {
        in[j] = load_lanes<T>(from + j * kLanes<T>);
      }
#pragma GCC unroll 8
      for (int c = 0; c < kWidth; ++c) {
        const Lanes<T> by = splat<T>(weights[c]);
#pragma GCC unroll 4
        for (int j = 0; j < kColumns; ++j) {
          sum[c][j] = at::vec::fma(by, in[j], sum[c][j]);
        }
      }
    }
#pragma GCC unroll 8
    for (int c = 0; c < kWidth; ++c) {
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) {
        store_lanes<T>(sums + c * kRoom + at + j * kLanes<T>, sum[c][j]);
      }
    }
  }
};

} // namespace

void convolve_by_position(const ConvOperands& operands) {
  switch (operands.dtype) {
    case c10::ScalarType::Float:
      return convolve<float, PositionTile>(operands);
    case c10::ScalarType::Double:
      return convolve<double, PositionTile>(operands);
    default:
      return convolve<int64_t, PositionTile>(operands);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
