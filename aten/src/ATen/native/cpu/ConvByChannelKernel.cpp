#include <ATen/native/cpu/Convolver.h>
#include <ATen/native/cpu/UnrolledProduct.h>

#include <utility>

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
    const auto* stripe = job.stripes.data();
    for (const auto* const last = stripe + job.stripes.size(); stripe != last;) {
      const Part part = part_of(job, *stripe);
      const int64_t first = stripe->first;
      int64_t count = 0;
      do {
        count += stripe->count;
        ++stripe;
      } while (stripe != last && count + stripe->count <= kSteps && part_of(job, *stripe) == part);
      const Product product{
          job.steps + first, count, job.weights + first * job.channels, job.channels};
      add(job, part, product, by_position);
    }
    for (int64_t p = 0; p < positions; p += kLanes<T>) {
      for (int64_t c = 0; c < job.channels; c += kLanes<T>) {
        copy_block_transposed(
            by_position + p * kChannels + c, kChannels, kLanes<T>, kLanes<T>, sums + c * kRoom + p,
            kRoom);
      }
    }
  }

 private:
  // The rows and columns of a rectangle for which a stripe reads more than zeros.
  struct Part {
    int64_t first_row, end_row, first_column, end_column;
    bool operator==(const Part&) const = default;
  };

  static bool adjoin(const ConvJob<T>& job) { return job.column_step <= 2; }

  static Part part_of(const ConvJob<T>& job, const ConvStripe& stripe) {
    const Part all{0, job.rows, 0, job.columns};
    if (!stripe.of_one_tap) {
      return all;
    }
    // The positions at which the tap lies inside the plane along an axis.
    const auto inside = [&](int axis, int64_t step, int64_t count) {
      const int64_t before = job.layout.lead[axis] - stripe.place[axis] - job.at[axis];
      const int64_t after = before + job.layout.size[axis];
      const int64_t end = std::clamp<int64_t>(after <= 0 ? 0 : at::divup(after, step), 0, count);
      return std::pair(std::clamp<int64_t>(before <= 0 ? 0 : at::divup(before, step), 0, end), end);
    };
    const auto slabs = inside(0, 1, 1);
    const auto rows = inside(1, job.source_step[1], job.rows);
    const auto columns = adjoin(job) ? inside(2, job.source_step[2], job.columns)
                                     : std::pair(all.first_column, all.end_column);
    if (slabs.first == slabs.second || columns.first == columns.second) {
      return {0, 0, 0, 0};
    }
    return {rows.first, rows.second, columns.first, columns.second};
  }

  static void add(const ConvJob<T>& job, const Part& part, const Product& product, T* sums) {
    const int64_t columns = part.end_column - part.first_column;
    const int64_t run = adjoin(job) ? columns : 1;
    const T* places[kPositions];
    int64_t runs = 0;
    for (int64_t r = part.first_row; r < part.end_row; ++r) {
      for (int64_t c = part.first_column; c < part.end_column; c += run) {
        places[runs++] = job.source + r * job.row_step + c * job.column_step;
      }
    }
    sums += (part.first_row * job.columns + part.first_column) * kChannels;
    product.add_runs(runs, run, places, sums, adjoin(job) ? job.columns : 1, job.column_step);
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
