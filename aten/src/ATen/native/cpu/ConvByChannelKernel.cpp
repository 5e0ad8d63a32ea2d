#include <ATen/native/cpu/Convolver.h>
#include <ATen/native/cpu/UnrolledProduct.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

namespace {

// Channels in lanes: each step loads one or two registers of weights and broadcasts an element per
// position. Wastes nothing at the ends of rows, but needs at least a register of channels.
template <typename T>
struct ChannelTile {
  using Product = UnrolledProduct<T>;
  static constexpr int64_t kChannels = Product::kWidth;
  static constexpr int64_t kPositions = 256;
  static constexpr int64_t kRoom = kPositions + kLanes<T>;
  static constexpr int64_t kOverrun = 0;
  static constexpr bool kPositionsAdjoin = false;
  // Steps whose weights stay in the first-level cache for all positions.
  static constexpr int64_t kSteps = 1024 / static_cast<int64_t>(sizeof(T));

  static int64_t packed_channels(int64_t channels) { return Product::packed_width(channels); }

  static int64_t pitch(const ConvJob<T>& job) { return job.columns; }

  static void sum(const ConvJob<T>& job, T* sums) {
    const int64_t positions = job.rows * job.columns;
    alignas(64) T by_position[kRoom * kChannels];
    for (int64_t p = 0; p < (positions + kLanes<T> - 1) / kLanes<T> * kLanes<T>; ++p) {
      std::copy_n(job.bias, kChannels, by_position + p * kChannels);
    }
    const int64_t run = job.column_step <= 2 ? job.columns : 1;
    const T* places[kPositions];
    int64_t runs = 0;
    for (int64_t r = 0; r < job.rows; ++r) {
      for (int64_t c = 0; c < job.columns; c += run) {
        places[runs++] = job.source + r * job.row_step + c * job.column_step;
      }
    }
    for (int64_t step = 0; step < job.count; step += kSteps) {
      const Product product{
          job.steps + step, std::min(kSteps, job.count - step), job.weights + step * job.channels,
          job.channels};
      product.add_runs(runs, run, places, by_position, job.column_step);
    }
    for (int64_t p = 0; p < positions; p += kLanes<T>) {
      for (int64_t c = 0; c < job.channels; c += kLanes<T>) {
        copy_block_transposed(
            by_position + p * kChannels + c, kChannels, kLanes<T>, kLanes<T>, sums + c * kRoom + p,
            kRoom);
      }
    }
  }
};

} // namespace

void convolve_by_channel(const ConvOperands& operands) {
  if (operands.dtype == c10::ScalarType::Float) {
    convolve<float, ChannelTile>(operands);
  } else {
    convolve<double, ChannelTile>(operands);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
