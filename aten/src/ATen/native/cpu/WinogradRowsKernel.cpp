// Winograd's convolution of images in channels-last order: channels lie in the lanes of registers.

#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/Winograd.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(CPU_CAPABILITY_AVX512) || defined(CPU_CAPABILITY_AVX2)

namespace {

using namespace winograd;

struct Workspace {
  Workspace(const TiledShape& s, int64_t rows, int64_t panels)
      : tiles(rows * s.columns + kPanelRows), // a sliver reads beyond the last tile
        source_row(at::divup(s.sources, L) * L),
        target_row(panels * kPanel),
        source_place(place_room(tiles * source_row)),
        target_place(place_room(tiles * target_row)),
        zeros(source_row),
        source(kTilePlaces * source_place),
        target(kTilePlaces * target_place) {
    std::fill_n(zeros.get(), source_row, 0.0f);
    std::fill_n(source.get(), kTilePlaces * source_place, 0.0f);
  }
  int64_t tiles, source_row, target_row, source_place, target_place;
  Room<float> zeros;  // the channels of a position in the padding
  Room<float> source; // [place][tile][source]
  Room<float> target; // [place][tile][target]
};

class WinogradRows {
 public:
  WinogradRows(
      const ConvShape& shape, const float* input, const float* weight, const float* bias,
      float* output)
      : s_(shape, /*adjoint=*/false),
        source_(input),
        weight_(weight),
        bias_(bias),
        target_(output) {}

  void run() const {
    const Room<float> weights = transformed_weights();
    s_.for_each_part(
        panels(), [&](int64_t rows, int64_t panels) { return Workspace(s_, rows, panels); },
        [&](int64_t row, int64_t rows, int64_t panel, int64_t panels, Workspace& work) {
          const int64_t first = panel * kPanel;
          const int64_t targets = std::min(panels * kPanel, s_.targets - first);
          for_each_tile(row, rows, [&](int64_t i, int64_t image, int64_t y, int64_t x) {
            transform_sources(image, y, x, work.source.get() + i * work.source_row, work);
          });
          multiply(weights.get() + first * s_.sources, targets, rows * s_.columns, work);
          for_each_tile(row, rows, [&](int64_t i, int64_t image, int64_t y, int64_t x) {
            const float* from = work.target.get() + i * work.target_row;
            transform_targets(image, y, x, first, targets, from, work.target_place);
          });
        });
  }

 private:
  int64_t panels() const { return at::divup(s_.targets, kPanel); }
  int64_t weight_place() const { return place_room(panels() * s_.sources * kPanel); }

  // Calls f(tile of the part, image, first target row, first target column).
  template <class F>
  void for_each_tile(int64_t row, int64_t rows, const F& f) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t x = 0; x < s_.columns; ++x) {
        f(i * s_.columns + x, (row + i) / s_.rows, (row + i) % s_.rows * 2, x * 2);
      }
    }
  }

  // [place][panel of targets][source][target]
  Room<float> transformed_weights() const {
    Room<float> result(kTilePlaces * weight_place());
    const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (kPanel * 32));
    at::parallel_for(0, panels() * s_.sources, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < kPanel; j += L) {
          transform_kernels(
              i % s_.sources, i / s_.sources * kPanel + j, result.get() + i * kPanel + j);
        }
      }
    });
    return result;
  }

  void transform_kernels(int64_t source, int64_t target, float* to) const {
    const int64_t count = std::clamp<int64_t>(s_.targets - target, 0, L);
    transform_kernel(
        [&](int64_t y, int64_t x) {
          const float* from = weight_ + ((3 * y + x) * s_.sources + source) * s_.targets + target;
          return load_up_to<float>(from, count, 0.0f);
        },
        [&](int64_t y, int64_t x, const V& value) {
          store_lanes(to + (4 * y + x) * weight_place(), value);
        });
  }

  // All channels of one tile.
  void transform_sources(
      int64_t image, int64_t y, int64_t x, float* to, const Workspace& work) const {
    const float* places[kTilePlaces];
    for (int64_t i = 0; i < kTilePlaces; ++i) {
      const int64_t h = y + i / 4 - s_.pad_rows, w = x + i % 4 - s_.pad_columns;
      const bool inside = h >= 0 && h < s_.height && w >= 0 && w < s_.width;
      places[i] = inside ? source_ + ((image * s_.height + h) * s_.width + w) * s_.sources
                         : work.zeros.get();
    }
    for (int64_t c = 0; c < s_.sources; c += L, to += L) {
      const int64_t count = s_.sources - c;
      transform_source_tile(
          [&](int64_t i, int64_t j) {
            return load_up_to<float>(places[4 * i + j] + c, count, 0.0f);
          },
          [&](int64_t i, int64_t j, const V& value) {
            store_lanes(to + (4 * i + j) * work.source_place, value);
          });
    }
  }

  void multiply(const float* weights, int64_t targets, int64_t tiles, Workspace& work) const {
    for (int64_t place = 0; place < kTilePlaces; ++place) {
      const float* from = work.source.get() + place * work.source_place;
      float* to = work.target.get() + place * work.target_place;
      const float* by = weights + place * weight_place();
      for (int64_t i = 0; i < tiles; i += kPanelRows) {
        Product::multiply_sliver<SliverOrder::kInPlace>(
            {from + i * work.source_row, work.source_row}, {by, kPanel, s_.sources * kPanel},
            s_.sources, to + i * work.target_row, work.target_row,
            std::min<int64_t>(kPanelRows, tiles - i), targets, 1.0f, 0.0f);
      }
    }
  }

  // Target channels [first, first + targets) of one tile.
  void transform_targets(
      int64_t image, int64_t y, int64_t x, int64_t first, int64_t targets, const float* from,
      int64_t place) const {
    const int64_t lines = std::min<int64_t>(2, s_.target_height - y);
    const int64_t columns = std::min<int64_t>(2, s_.target_width - x);
    float* const to =
        target_ + ((image * s_.target_height + y) * s_.target_width + x) * s_.targets + first;
    for (int64_t c = 0; c < targets; c += L) {
      V sums[2][2];
      transform_tile_of_sums(
          [&](int64_t i, int64_t j) { return load_lanes<float>(from + c + (4 * i + j) * place); },
          sums);
      const V bias =
          bias_ == nullptr ? V{} : load_up_to<float>(bias_ + first + c, targets - c, 0.0f);
      for (int64_t i = 0; i < lines; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          save_up_to<float, float>(
              to + (i * s_.target_width + j) * s_.targets + c, sums[i][j] + bias, targets - c);
        }
      }
    }
  }

  TiledShape s_;
  const float *source_, *weight_, *bias_;
  float* target_;
};

} // namespace

void convolve_rows_by_tile(
    const ConvShape& shape, const float* input, const float* weight, const float* bias,
    float* output) {
  WinogradRows(shape, input, weight, bias, output).run();
}

#else // is_tiled is false

void convolve_rows_by_tile(
    const ConvShape& /*shape*/, const float* /*input*/, const float* /*weight*/,
    const float* /*bias*/, float* /*output*/) {}

#endif

} // namespace CPU_CAPABILITY
} // namespace at::native
