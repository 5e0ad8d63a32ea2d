// Winograd's convolution of images in the usual order: tiles of a row lie in the lanes of
// registers.

#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/TransposedCopy.h>
#include <ATen/native/cpu/Winograd.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(CPU_CAPABILITY_AVX512) || defined(CPU_CAPABILITY_AVX2)

namespace {

using namespace winograd;

// The even and the odd columns of the last four lines of a padded channel.
class SplitLines {
 public:
  explicit SplitLines(const TiledShape& s)
      : room_((s.columns / L + 2) * L), pad_(s.pad_columns), width_(s.width), data_(10 * room_) {
    std::fill_n(data_.get(), 10 * room_, 0.0f);
  }

  const float* even(int64_t line) const { return data_.get() + line % 4 * 2 * room_; }
  const float* odd(int64_t line) const { return even(line) + room_; }

  // A line outside of the image is null.
  void read(int64_t line, const float* from) {
    float* const to = data_.get() + line % 4 * 2 * room_;
    if (from == nullptr) {
      std::fill_n(to, 2 * room_, 0.0f);
      return;
    }
    float* const padded = data_.get() + 8 * room_; // with zeros around it
    copy_row(padded + pad_, from, width_);
    for (int64_t x = 0; x < room_; x += L) {
      V even = load_lanes<float>(padded + 2 * x), odd = load_lanes<float>(padded + 2 * x + L);
      separate_registers<float>(even, odd);
      store_lanes(to + x, even);
      store_lanes(to + room_ + x, odd);
    }
  }

 private:
  int64_t room_, pad_, width_;
  Room<float> data_;
};

struct Workspace {
  Workspace(const TiledShape& s, int64_t rows, int64_t slivers)
      : tiles(at::divup(rows * s.columns, kPanel) * kPanel),
        place(place_room(tiles + L)),
        source_place(place_room(tiles * s.sources)),
        target_place(place_room(tiles * slivers * kPanelRows)),
        lines(s),
        channel(kTilePlaces * place + L),
        source(kTilePlaces * source_place),
        target(kTilePlaces * target_place + L) {
    std::fill_n(channel.get(), kTilePlaces * place + L, 0.0f);
  }
  int64_t tiles, place, source_place, target_place;
  SplitLines lines;
  Room<float> channel; // [place][tile] of one source channel
  Room<float> source;  // [place][panel][source][tile of the panel]
  Room<float> target;  // [place][target][tile]
};

class Winograd {
 public:
  explicit Winograd(const ConvOperands& operands)
      : s_(operands.shape, operands.adjoint),
        adjoint_(operands.adjoint),
        source_(static_cast<const float*>(operands.source)),
        weight_(static_cast<const float*>(operands.weight)),
        bias_(static_cast<const float*>(operands.bias)),
        target_(static_cast<float*>(operands.target)) {}

  void run() const {
    const Room<float> weights = transformed_weights();
    s_.for_each_part(
        slivers(), [&](int64_t rows, int64_t slivers) { return Workspace(s_, rows, slivers); },
        [&](int64_t row, int64_t rows, int64_t sliver, int64_t slivers, Workspace& work) {
          transform_sources(row, rows, work);
          const int64_t first = sliver * kPanelRows;
          const int64_t targets = std::min(slivers * kPanelRows, s_.targets - first);
          multiply(weights.get() + first * s_.sources, targets, rows * s_.columns, work);
          for (int64_t i = 0; i < targets; ++i) {
            transform_target(row, rows, first + i, work.target.get() + i * work.tiles, work);
          }
        });
  }

 private:
  int64_t slivers() const { return at::divup(s_.targets, int64_t{kPanelRows}); }
  int64_t weight_place() const { return place_room(slivers() * s_.sources * kPanelRows); }

  // [place][sliver of targets][source][target]
  Room<float> transformed_weights() const {
    Room<float> result(kTilePlaces * weight_place());
    const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (s_.sources * 128));
    at::parallel_for(0, slivers(), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        transform_sliver(i, result.get() + i * s_.sources * kPanelRows);
      }
    });
    return result;
  }

  void transform_sliver(int64_t sliver, float* to) const {
    const int64_t first = sliver * kPanelRows, targets = std::min(L, s_.targets - first);
    alignas(64) float taps[L * kTileTaps * L] = {}; // [source][tap][target]
    for (int64_t source = 0; source < s_.sources; source += L) {
      const int64_t sources = std::min(L, s_.sources - source);
      read_taps(first, targets, source, sources, taps);
      for (int64_t i = 0; i < sources; ++i, to += kPanelRows) {
        transform_kernel(
            [&](int64_t y, int64_t x) {
              return load_lanes<float>(taps + (i * kTileTaps + 3 * y + x) * L);
            },
            [&](int64_t y, int64_t x, const V& value) {
              at::vec::store_first<float, L>(to + (4 * y + x) * weight_place(), value, kPanelRows);
            });
      }
    }
  }

  void read_taps(
      int64_t target, int64_t targets, int64_t source, int64_t sources, float* taps) const {
    if (!adjoint_) {
      const float* from = weight_ + (target * s_.sources + source) * kTileTaps;
      return copy_transposed(from, s_.sources * kTileTaps, targets, sources * kTileTaps, taps, L);
    }
    for (int64_t i = 0; i < sources; ++i) { // the taps in the other direction
      const float* from = weight_ + ((source + i) * s_.targets + target) * kTileTaps;
      copy_transposed(
          from, kTileTaps, targets, kTileTaps, taps + ((i + 1) * kTileTaps - 1) * L, -L);
    }
  }

  void transform_sources(int64_t row, int64_t rows, Workspace& work) const {
    for (int64_t source = 0; source < s_.sources; ++source) {
      transform_channel(row, rows, source, work);
      for (int64_t place = 0; place < kTilePlaces; ++place) {
        const float* from = work.channel.get() + place * work.place;
        float* to = work.source.get() + place * work.source_place + source * kPanel;
        for (int64_t tile = 0; tile < rows * s_.columns; tile += kPanel) {
          store_lanes(to + tile * s_.sources, load_lanes<float>(from + tile));
          store_lanes(to + tile * s_.sources + L, load_lanes<float>(from + tile + L));
        }
      }
    }
  }

  void transform_channel(int64_t row, int64_t rows, int64_t source, Workspace& work) const {
    float* to = work.channel.get();
    for (int64_t i = 0; i < rows; ++i, to += s_.columns) {
      const int64_t image = (row + i) / s_.rows, first = (row + i) % s_.rows * 2;
      const float* const plane = source_ + (image * s_.sources + source) * s_.height * s_.width;
      // Two of the lines were read for the row before.
      for (int64_t line = i == 0 || first == 0 ? first : first + 2; line < first + 4; ++line) {
        const int64_t y = line - s_.pad_rows;
        work.lines.read(line, y >= 0 && y < s_.height ? plane + y * s_.width : nullptr);
      }
      for (int64_t tile = 0; tile < s_.columns; tile += L) {
        transform_source_tile(
            [&](int64_t y, int64_t x) {
              const float* line =
                  x % 2 == 0 ? work.lines.even(first + y) : work.lines.odd(first + y);
              return load_lanes<float>(line + tile + x / 2);
            },
            [&](int64_t y, int64_t x, const V& value) {
              store_lanes(to + tile + (4 * y + x) * work.place, value);
            });
      }
    }
  }

  void multiply(const float* weights, int64_t targets, int64_t tiles, Workspace& work) const {
    for (int64_t place = 0; place < kTilePlaces; ++place) {
      const float* by = weights + place * weight_place();
      const float* panels = work.source.get() + place * work.source_place;
      float* to = work.target.get() + place * work.target_place;
      for (int64_t i = 0; i < targets; i += kPanelRows) {
        Product::multiply_sliver<SliverOrder::kTransposed>(
            {by + i * s_.sources, 0}, {panels, kPanel, s_.sources * kPanel}, s_.sources,
            to + i * work.tiles, work.tiles, std::min<int64_t>(kPanelRows, targets - i), tiles,
            1.0f, 0.0f);
      }
    }
  }

  void transform_target(
      int64_t row, int64_t rows, int64_t target, const float* from, const Workspace& work) const {
    const V bias = splat<float>(bias_ == nullptr ? 0.0f : bias_[target]);
    for (int64_t i = 0; i < rows; ++i, from += s_.columns) {
      const int64_t image = (row + i) / s_.rows, y = (row + i) % s_.rows * 2;
      float* line =
          target_ + ((image * s_.targets + target) * s_.target_height + y) * s_.target_width;
      const int64_t lines = std::min<int64_t>(2, s_.target_height - y);
      for (int64_t tile = 0; tile < s_.columns; tile += L) {
        V sums[2][2];
        transform_tile_of_sums(
            [&](int64_t y, int64_t x) {
              return load_lanes<float>(from + tile + (4 * y + x) * work.target_place);
            },
            sums);
        const int64_t count = std::min(2 * L, s_.target_width - 2 * tile);
        for (int64_t y = 0; y < lines; ++y) {
          save_pairs(
              sums[y][0] + bias, sums[y][1] + bias, line + y * s_.target_width + 2 * tile, count);
        }
      }
    }
  }

  static void save_pairs(V even, V odd, float* to, int64_t count) {
    interleave_registers<float>(even, odd);
    save_up_to<float, float>(to, even, count);
    if (count > L) {
      save_up_to<float, float>(to + L, odd, count - L);
    }
  }

  TiledShape s_;
  bool adjoint_;
  const float *source_, *weight_, *bias_;
  float* target_;
};

} // namespace

void convolve_by_tile(const ConvOperands& operands) {
  Winograd(operands).run();
}

#else // is_tiled is false

void convolve_by_tile(const ConvOperands& /*operands*/) {}

#endif

} // namespace CPU_CAPABILITY
} // namespace at::native
