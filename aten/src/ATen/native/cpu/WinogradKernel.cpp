#include <ATen/Parallel.h>
#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/PackedGemm.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <algorithm>

// Convolutions of float images with kernels of 3x3 elements at every position, by the minimal
// filtering F(2x2, 3x3) of Lavin and Gray, "Fast algorithms for convolutional neural networks"
// (2016). A tile of 4x4 elements of the source gives 2x2 elements of the target. Tiles and kernels
// are transformed so that convolving a tile becomes multiplying its 16 places one by one:
// 16 multiplications instead of 36. Over all channels and tiles, these are one matrix product for
// each place. Tiles of a row lie in the lanes of registers.

namespace at::native {
inline namespace CPU_CAPABILITY {

namespace {

constexpr int64_t L = kLanes<float>;
using V = Lanes<float>;
using Product = PackedGemm<float>;
constexpr int64_t kPanel = Product::kPanel;
constexpr int64_t kPlaces = 16, kTaps = 9;

// The transforms of rows; applied to the rows and then to the columns.
C10_ALWAYS_INLINE void transform_tile(const V& a, const V& b, const V& c, const V& d, V (&to)[4]) {
  to[0] = a - c;
  to[1] = b + c;
  to[2] = c - b;
  to[3] = b - d;
}
C10_ALWAYS_INLINE void transform_taps(const V& a, const V& b, const V& c, V (&to)[4]) {
  const V outer = a + c;
  to[0] = a;
  to[1] = 0.5f * (outer + b);
  to[2] = 0.5f * (outer - b);
  to[3] = c;
}
C10_ALWAYS_INLINE void transform_sums(const V& a, const V& b, const V& c, const V& d, V (&to)[2]) {
  to[0] = a + b + c;
  to[1] = b - c - d;
}

// The even and the odd columns of the last four lines of a padded channel.
class Lines {
 public:
  Lines(int64_t tiles, int64_t pad, int64_t width)
      : room_((tiles / L + 2) * L), pad_(pad), width_(width), data_(10 * room_) {
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

class Winograd {
 public:
  explicit Winograd(const ConvOperands& operands)
      : adjoint_(operands.adjoint),
        source_(static_cast<const float*>(operands.source)),
        weight_(static_cast<const float*>(operands.weight)),
        bias_(static_cast<const float*>(operands.bias)),
        target_(static_cast<float*>(operands.target)) {
    const ConvShape& s = operands.shape;
    images_ = s.batch;
    sources_ = adjoint_ ? s.out_channels : s.in_channels;
    targets_ = adjoint_ ? s.in_channels : s.out_channels;
    const auto &from = adjoint_ ? s.out : s.in, &to = adjoint_ ? s.in : s.out;
    height_ = from[1], width_ = from[2];
    target_height_ = to[1], target_width_ = to[2];
    pad_rows_ = adjoint_ ? 2 - s.pad[1] : s.pad[1];
    pad_columns_ = adjoint_ ? 2 - s.pad[2] : s.pad[2];
    rows_ = at::divup(target_height_, 2);
    columns_ = at::divup(target_width_, 2);
  }

  void run() const {
    const Room<float> weights = transformed_weights();
    const int64_t all_rows = images_ * rows_, threads = at::get_num_threads();
    // Tiles whose transforms fit into the second-level cache, but at least a few panels.
    const int64_t place_bytes = kPlaces * static_cast<int64_t>(sizeof(float));
    const int64_t tiles =
        std::max(4 * kPanel, 2 * packed_bytes() / (place_bytes * (sources_ + targets_)));
    int64_t pieces = at::divup(all_rows, std::max<int64_t>(1, tiles / columns_));
    if (pieces > 1 && pieces < 8 * threads) {
      pieces = std::min(all_rows, at::divup(pieces, threads) * threads);
    }
    const int64_t rows = at::divup(all_rows, pieces);
    pieces = at::divup(all_rows, rows);
    const int64_t splits = std::clamp<int64_t>(threads / pieces, 1, at::divup(slivers(), 5));
    const int64_t split = at::divup(slivers(), splits);
    at::parallel_for(0, pieces * splits, 1, [&](int64_t begin, int64_t end) {
      Workspace work(*this, rows, split);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / splits * rows, sliver = i % splits * split;
        unit(
            {row, std::min(rows, all_rows - row), sliver, std::min(split, slivers() - sliver)},
            weights.get(), work);
      }
    });
  }

 private:
  // Rows of tiles, counted through all images, and slivers of target channels.
  struct Unit {
    int64_t row, rows, sliver, slivers;
  };

  // Places are an odd number of cache lines apart: the same element of all of them would otherwise
  // compete for few sets of the cache.
  static int64_t apart(int64_t elements) {
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(float));
    return (at::divup(elements, kLine) | 1) * kLine;
  }

  struct Workspace {
    Workspace(const Winograd& w, int64_t rows, int64_t slivers)
        : tiles(at::divup(rows * w.columns_, kPanel) * kPanel),
          place(apart(tiles + L)),
          source_place(apart(tiles * w.sources_)),
          target_place(apart(tiles * slivers * kPanelRows)),
          lines(w.columns_, w.pad_columns_, w.width_),
          channel(kPlaces * place + L),
          source(kPlaces * source_place),
          target(kPlaces * target_place + L) {
      std::fill_n(channel.get(), kPlaces * place + L, 0.0f);
    }
    int64_t tiles, place, source_place, target_place;
    Lines lines;
    Room<float> channel; // [place][tile] of one source channel
    Room<float> source;  // [place][panel][source][tile of the panel]
    Room<float> target;  // [place][target][tile]
  };

  int64_t slivers() const { return at::divup(targets_, int64_t{kPanelRows}); }
  int64_t weight_place() const { return apart(slivers() * sources_ * kPanelRows); }

  // [place][sliver of targets][source][target]
  Room<float> transformed_weights() const {
    Room<float> result(kPlaces * weight_place());
    const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (sources_ * 128));
    at::parallel_for(0, slivers(), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        transform_sliver(i, result.get() + i * sources_ * kPanelRows);
      }
    });
    return result;
  }

  void transform_sliver(int64_t sliver, float* to) const {
    const int64_t first = sliver * kPanelRows, count = std::min(L, targets_ - first);
    alignas(64) float taps[L * kTaps * L] = {}; // [source][tap][target]
    for (int64_t source = 0; source < sources_; source += L) {
      const int64_t sources = std::min(L, sources_ - source);
      read_taps(first, count, source, sources, taps);
      for (int64_t i = 0; i < sources; ++i, to += kPanelRows) {
        transform_kernels(taps + i * kTaps * L, to);
      }
    }
  }

  void read_taps(
      int64_t target, int64_t targets, int64_t source, int64_t sources, float* taps) const {
    if (!adjoint_) {
      const float* from = weight_ + (target * sources_ + source) * kTaps;
      return copy_transposed(from, sources_ * kTaps, targets, sources * kTaps, taps, L);
    }
    for (int64_t i = 0; i < sources; ++i) {
      const float* from = weight_ + ((source + i) * targets_ + target) * kTaps;
      copy_transposed(from, kTaps, targets, kTaps, taps + ((i + 1) * kTaps - 1) * L, -L);
    }
  }

  void transform_kernels(const float* taps, float* to) const {
    V by_row[3][4];
#pragma GCC unroll 3
    for (int64_t x = 0; x < 3; ++x) {
      const auto tap = [&](int64_t y) { return load_lanes<float>(taps + (3 * y + x) * L); };
      transform_taps(tap(0), tap(1), tap(2), by_row[x]);
    }
#pragma GCC unroll 4
    for (int64_t y = 0; y < 4; ++y) {
      V whole[4];
      transform_taps(by_row[0][y], by_row[1][y], by_row[2][y], whole);
#pragma GCC unroll 4
      for (int64_t x = 0; x < 4; ++x) {
        at::vec::store_first<float, L>(to + (4 * y + x) * weight_place(), whole[x], kPanelRows);
      }
    }
  }

  void unit(const Unit& u, const float* weights, Workspace& work) const {
    const int64_t tiles = u.rows * columns_;
    for (int64_t source = 0; source < sources_; ++source) {
      transform_source(u, source, work);
      for (int64_t place = 0; place < kPlaces; ++place) {
        const float* from = work.channel.get() + place * work.place;
        float* to = work.source.get() + place * work.source_place + source * kPanel;
        for (int64_t tile = 0; tile < tiles; tile += kPanel) {
          store_lanes(to + tile * sources_, load_lanes<float>(from + tile));
          store_lanes(to + tile * sources_ + L, load_lanes<float>(from + tile + L));
        }
      }
    }
    const int64_t first = u.sliver * kPanelRows;
    const int64_t targets = std::min(u.slivers * kPanelRows, targets_ - first);
    for (int64_t place = 0; place < kPlaces; ++place) {
      const float* by = weights + place * weight_place() + first * sources_;
      const float* panels = work.source.get() + place * work.source_place;
      float* to = work.target.get() + place * work.target_place;
      for (int64_t i = 0; i < targets; i += kPanelRows) {
        Product::multiply_sliver<SliverOrder::kTransposed>(
            {by + i * sources_, 0}, {panels, kPanel, sources_ * kPanel}, sources_,
            to + i * work.tiles, work.tiles, std::min<int64_t>(kPanelRows, targets - i), tiles,
            1.0f, 0.0f);
      }
    }
    for (int64_t target = 0; target < targets; ++target) {
      transform_target(u, first + target, work.target.get() + target * work.tiles, work);
    }
  }

  // The tiles of one source channel.
  void transform_source(const Unit& u, int64_t source, Workspace& work) const {
    float* to = work.channel.get();
    for (int64_t i = 0; i < u.rows; ++i, to += columns_) {
      const int64_t image = (u.row + i) / rows_, first = (u.row + i) % rows_ * 2;
      const float* const plane = source_ + (image * sources_ + source) * height_ * width_;
      // Two of the lines were read for the row before.
      for (int64_t line = i == 0 || first == 0 ? first : first + 2; line < first + 4; ++line) {
        const int64_t y = line - pad_rows_;
        work.lines.read(line, y >= 0 && y < height_ ? plane + y * width_ : nullptr);
      }
      for (int64_t x = 0; x < columns_; x += L) {
        transform_tiles(work.lines, first, x, to + x, work.place);
      }
    }
  }

  static void transform_tiles(
      const Lines& lines, int64_t first, int64_t x, float* to, int64_t place) {
    V by_column[4][4];
#pragma GCC unroll 4
    for (int64_t y = 0; y < 4; ++y) {
      const float *even = lines.even(first + y) + x, *odd = lines.odd(first + y) + x;
      transform_tile(
          load_lanes<float>(even), load_lanes<float>(odd), load_lanes<float>(even + 1),
          load_lanes<float>(odd + 1), by_column[y]);
    }
#pragma GCC unroll 4
    for (int64_t column = 0; column < 4; ++column) {
      V whole[4];
      transform_tile(
          by_column[0][column], by_column[1][column], by_column[2][column], by_column[3][column],
          whole);
#pragma GCC unroll 4
      for (int64_t y = 0; y < 4; ++y) {
        store_lanes(to + (4 * y + column) * place, whole[y]);
      }
    }
  }

  // One target channel of the images.
  void transform_target(const Unit& u, int64_t target, const float* from, Workspace& work) const {
    const V bias = splat<float>(bias_ == nullptr ? 0.0f : bias_[target]);
    for (int64_t i = 0; i < u.rows; ++i, from += columns_) {
      const int64_t image = (u.row + i) / rows_, y = (u.row + i) % rows_ * 2;
      float* const plane = target_ + (image * targets_ + target) * target_height_ * target_width_;
      float* const line = plane + y * target_width_;
      const int64_t lines = std::min<int64_t>(2, target_height_ - y);
      for (int64_t x = 0; x < columns_; x += L) {
        transform_sums_of_tiles(from + x, work.target_place, bias, line + 2 * x, lines, 2 * x);
      }
    }
  }

  void transform_sums_of_tiles(
      const float* from, int64_t place, const V& bias, float* line, int64_t lines,
      int64_t first) const {
    V by_column[4][2], whole[2][2];
#pragma GCC unroll 4
    for (int64_t column = 0; column < 4; ++column) {
      const auto at = [&](int64_t y) { return load_lanes<float>(from + (4 * y + column) * place); };
      transform_sums(at(0), at(1), at(2), at(3), by_column[column]);
    }
#pragma GCC unroll 2
    for (int64_t y = 0; y < 2; ++y) {
      transform_sums(by_column[0][y], by_column[1][y], by_column[2][y], by_column[3][y], whole[y]);
    }
    const int64_t count = std::min(2 * L, target_width_ - first);
    for (int64_t y = 0; y < lines; ++y, line += target_width_) {
      V even = whole[y][0] + bias, odd = whole[y][1] + bias;
      interleave_registers<float>(even, odd);
      save_up_to<float, float>(line, even, count);
      if (count > L) {
        save_up_to<float, float>(line + L, odd, count - L);
      }
    }
  }

  bool adjoint_;
  const float *source_, *weight_, *bias_;
  float* target_;
  int64_t images_, sources_, targets_;
  int64_t height_, width_, target_height_, target_width_;
  int64_t pad_rows_, pad_columns_; // zeros before the source
  int64_t rows_, columns_;         // tiles of an image
};

} // namespace

bool is_tiled(const ConvOperands& operands) {
  const ConvShape& s = operands.shape;
  constexpr ConvShape::Extent kOnes{1, 1, 1};
  constexpr int64_t kChannels = 32, kPositions = 36;
  // A register has to hold the targets of a sliver, and an adjoint has no negative padding.
  return L >= kPanelRows && operands.dtype == c10::ScalarType::Float && s.groups == 1 &&
      s.kernel == ConvShape::Extent{1, 3, 3} && s.stride == kOnes && s.dilation == kOnes &&
      s.in[0] == 1 && s.pad[0] == 0 && std::max(s.pad[1], s.pad[2]) <= 2 &&
      std::min(s.in_channels, s.out_channels) >= kChannels &&
      std::min(volume(s.in), volume(s.out)) >= kPositions;
}

void convolve_by_tile(const ConvOperands& operands) {
  if constexpr (L >= kPanelRows) {
    Winograd(operands).run();
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
