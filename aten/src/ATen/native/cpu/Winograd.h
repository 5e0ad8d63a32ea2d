#pragma once

#include <ATen/Parallel.h>
#include <ATen/native/ConvShape.h>
#include <ATen/native/cpu/PackedGemm.h>
#include <ATen/native/cpu/Room.h>

#include <algorithm>

// Convolutions of float images with kernels of 3x3 elements at every position, by the minimal
// filtering F(2x2, 3x3) of Lavin and Gray, "Fast algorithms for convolutional neural networks"
// (2016). A tile of 4x4 elements of the source gives 2x2 elements of the target. Tiles and kernels
// are transformed so that convolving a tile becomes multiplying its 16 places one by one:
// 16 multiplications instead of 36. Over all channels and tiles, these are one matrix product for
// each place.

namespace at::native {
inline namespace CPU_CAPABILITY {

inline constexpr int64_t kTilePlaces = 16, kTileTaps = 9;

// Short names for the kernels.
namespace winograd {

inline constexpr int64_t L = kLanes<float>;
using V = Lanes<float>;
using Product = PackedGemm<float>;
inline constexpr int64_t kPanel = Product::kPanel;

} // namespace winograd

// The transforms of one column; applied to the columns and then to the rows of the results.
template <class V>
C10_ALWAYS_INLINE void transform_source(
    const V& a, const V& b, const V& c, const V& d, V (&to)[4]) {
  to[0] = a - c;
  to[1] = b + c;
  to[2] = c - b;
  to[3] = b - d;
}
template <class V>
C10_ALWAYS_INLINE void transform_taps(const V& a, const V& b, const V& c, V (&to)[4]) {
  const V outer = a + c;
  to[0] = a;
  to[1] = 0.5f * (outer + b);
  to[2] = 0.5f * (outer - b);
  to[3] = c;
}
template <class V>
C10_ALWAYS_INLINE void transform_sums(const V& a, const V& b, const V& c, const V& d, V (&to)[2]) {
  to[0] = a + b + c;
  to[1] = b - c - d;
}

// The same for lanes of whole tiles: from(y, x) reads an element, to(y, x, value) writes one.
template <class From, class To>
C10_ALWAYS_INLINE void transform_source_tile(const From& from, const To& to) {
  Lanes<float> columns[4][4], row[4];
#pragma GCC unroll 4
  for (int64_t x = 0; x < 4; ++x) {
    transform_source<Lanes<float>>(from(0, x), from(1, x), from(2, x), from(3, x), columns[x]);
  }
#pragma GCC unroll 4
  for (int64_t y = 0; y < 4; ++y) {
    transform_source(columns[0][y], columns[1][y], columns[2][y], columns[3][y], row);
#pragma GCC unroll 4
    for (int64_t x = 0; x < 4; ++x) {
      to(y, x, row[x]);
    }
  }
}
template <class From, class To>
C10_ALWAYS_INLINE void transform_kernel(const From& from, const To& to) {
  Lanes<float> columns[3][4], row[4];
#pragma GCC unroll 3
  for (int64_t x = 0; x < 3; ++x) {
    transform_taps<Lanes<float>>(from(0, x), from(1, x), from(2, x), columns[x]);
  }
#pragma GCC unroll 4
  for (int64_t y = 0; y < 4; ++y) {
    transform_taps(columns[0][y], columns[1][y], columns[2][y], row);
#pragma GCC unroll 4
    for (int64_t x = 0; x < 4; ++x) {
      to(y, x, row[x]);
    }
  }
}
template <class From>
C10_ALWAYS_INLINE void transform_tile_of_sums(const From& from, Lanes<float> (&to)[2][2]) {
  Lanes<float> columns[4][2];
#pragma GCC unroll 4
  for (int64_t x = 0; x < 4; ++x) {
    transform_sums<Lanes<float>>(from(0, x), from(1, x), from(2, x), from(3, x), columns[x]);
  }
#pragma GCC unroll 2
  for (int64_t y = 0; y < 2; ++y) {
    transform_sums(columns[0][y], columns[1][y], columns[2][y], columns[3][y], to[y]);
  }
}

// The sizes of a convolution or its adjoint, and how its tiles are divided.
struct TiledShape {
  TiledShape(const ConvShape& s, bool adjoint)
      : images(s.batch),
        sources(adjoint ? s.out_channels : s.in_channels),
        targets(adjoint ? s.in_channels : s.out_channels),
        height((adjoint ? s.out : s.in)[1]),
        width((adjoint ? s.out : s.in)[2]),
        target_height((adjoint ? s.in : s.out)[1]),
        target_width((adjoint ? s.in : s.out)[2]),
        pad_rows(adjoint ? 2 - s.pad[1] : s.pad[1]),
        pad_columns(adjoint ? 2 - s.pad[2] : s.pad[2]),
        rows(at::divup(target_height, 2)),
        columns(at::divup(target_width, 2)) {}

  // Calls f(first row, rows, first block, blocks) for the parts into which rows of tiles, counted
  // through all images, and blocks of target channels are divided; workspace(rows, blocks) makes a
  // thread's memory for parts of that size.
  template <class MakeWorkspace, class F>
  void for_each_part(int64_t blocks, const MakeWorkspace& workspace, const F& f) const {
    const int64_t all_rows = images * rows, threads = at::get_num_threads();
    // Tiles whose transforms fit into the second-level cache, but at least a few panels.
    constexpr int64_t kBytes = kTilePlaces * static_cast<int64_t>(sizeof(float));
    const int64_t tiles =
        std::max(4 * winograd::kPanel, 2 * packed_bytes() / (kBytes * (sources + targets)));
    int64_t parts = at::divup(all_rows, std::max<int64_t>(1, tiles / columns));
    if (parts > 1 && parts < 8 * threads) {
      parts = std::min(all_rows, at::divup(parts, threads) * threads);
    }
    const int64_t part = at::divup(all_rows, parts);
    parts = at::divup(all_rows, part);
    constexpr int64_t kWorthAThread = 5; // blocks for which transforming the source again pays
    int64_t splits = std::clamp<int64_t>(threads / parts, 1, at::divup(blocks, kWorthAThread));
    const int64_t split = at::divup(blocks, splits);
    splits = at::divup(blocks, split);
    at::parallel_for(0, parts * splits, 1, [&](int64_t begin, int64_t end) {
      auto work = workspace(part, split);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / splits * part, block = i % splits * split;
        f(row, std::min(part, all_rows - row), block, std::min(split, blocks - block), work);
      }
    });
  }

  int64_t images, sources, targets;
  int64_t height, width, target_height, target_width;
  int64_t pad_rows, pad_columns; // zeros before the source
  int64_t rows, columns;         // tiles of an image
};

// The distance of places: an odd number of cache lines, since the same element of all of them would
// otherwise compete for few sets of the cache.
inline int64_t place_room(int64_t elements) {
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(float));
  return (at::divup(elements, kLine) | 1) * kLine;
}

} // namespace CPU_CAPABILITY
} // namespace at::native
