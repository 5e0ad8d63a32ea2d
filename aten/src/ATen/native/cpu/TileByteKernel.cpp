// The product of quantized layers by a processor's tile unit (Intel's AMX). A tile of x has 16 rows
// of 64 terms; one of w, as the panels hold it, 16 rows of 4 terms of 16 columns. Their product is
// added to 16x16 sums in int32, which are exact as all other kernels' are.

#include <ATen/Parallel.h>
#include <ATen/native/QuantizedProduct.h>
#include <ATen/native/cpu/ByteConversion.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/Tiles.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

#if defined(CPU_CAPABILITY_AVX512)

constexpr int64_t kSide = kTileSide;
constexpr int64_t kPair = kTilePair;
constexpr int64_t kPanelRow = kBytePanel * kByteTerms; // bytes of four terms of all columns
constexpr int64_t kTileOfPanel = kPanelRow * kSide;

static_assert(kBytePanel == kPair && kByteTileDepth == kSide * kByteTerms);
static_assert(kByteTileRows == kPair && kByteRows % kPair == 0 && kByteRowRoom >= kSide);

// The rows of x of two tiles.
struct TileRows {
  const uint8_t* const* pieces; // where the first row's taps lie: one pointer in kByteRowPitch
  int64_t second;               // how many pointers later those of the second tile's first row are
  int64_t taps, offset, pitch, steps;
  int64_t count; // in each tile
};

// sums[2 count][32] = offsets + x w, where each piece has `steps` tiles of terms. Without a second
// row or column of tiles, its sums are not computed.
template <bool kTwoRows, bool kTwoColumns>
TILE_UNIT void multiply_pair(
    const TileRows& x, const int8_t* w, const int32_t* offsets, int32_t* sums) {
  constexpr int64_t kSumRow = kPair * sizeof(int32_t);
  const int64_t pitch = x.pitch;
  // Rows that are 0 bytes apart: each begins with the same offsets.
  _tile_loadd(0, offsets, 0);
  if constexpr (kTwoColumns) {
    _tile_loadd(1, offsets + kSide, 0);
  }
  if constexpr (kTwoRows) {
    _tile_loadd(2, offsets, 0);
  }
  if constexpr (kTwoRows && kTwoColumns) {
    _tile_loadd(3, offsets + kSide, 0);
  }
  const uint8_t* const* piece = x.pieces;
  for (int64_t tap = 0; tap < x.taps; ++tap, piece += kByteRowPitch) {
    const uint8_t* first = piece[0] + x.offset;
    const uint8_t* second = kTwoRows ? piece[x.second] + x.offset : nullptr;
    for (int64_t i = 0; i < x.steps; ++i, w += kTileOfPanel) {
      _tile_loadd(4, first + i * kByteTileDepth, pitch);
      _tile_loadd(6, w, kPanelRow);
      _tile_dpbusd(0, 4, 6);
      if constexpr (kTwoColumns) {
        _tile_loadd(7, w + kPanelRow / 2, kPanelRow);
        _tile_dpbusd(1, 4, 7);
      }
      if constexpr (kTwoRows) {
        _tile_loadd(5, second + i * kByteTileDepth, pitch);
        _tile_dpbusd(2, 5, 6);
        if constexpr (kTwoColumns) {
          _tile_dpbusd(3, 5, 7);
        }
      }
    }
  }
  int32_t* const below = sums + x.count * kPair;
  _tile_stored(0, sums, kSumRow);
  if constexpr (kTwoColumns) {
    _tile_stored(1, sums + kSide, kSumRow);
  }
  if constexpr (kTwoRows) {
    _tile_stored(2, below, kSumRow);
  }
  if constexpr (kTwoRows && kTwoColumns) {
    _tile_stored(3, below + kSide, kSumRow);
  }
}

class TileByteProduct {
 public:
  TileByteProduct(
      const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows)
      : weights_(weights),
        conversion_(conversion),
        rows_(rows),
        gathers_(rows.tile_rows == 0),
        taps_(gathers_ ? 1 : rows.taps),
        steps_(at::divup(weights.depth / taps_, kByteTileDepth)),
        tile_rows_(gathers_ ? kSide : rows.tile_rows),
        // An odd number of cache lines, so that rows do not compete for the same sets.
        pitch_(gathers_ ? (steps_ | 1) * kByteTileDepth : rows.pitch),
        gathered_(gathers_ ? (kPair + 1) * pitch_ : 0) {}

  void run(int64_t first, int64_t last) const {
    // Copies stay in the nearest cache; rows that need none share each panel there.
    const int64_t together = gathers_ ? kPair : rows_.count;
    // Sums are converted while the next ones are multiplied.
    alignas(64) int32_t sums[2][kPair * kPair] = {};
    int64_t row_before = 0, panel_before = -1;
    int at = 0;
    use_tiles(tile_rows_);
    for (int64_t begin = 0; begin < rows_.count; begin += together) {
      const int64_t end = std::min(rows_.count, begin + together);
      if (gathers_) {
        gather(begin, end - begin, gathered_.get());
      }
      for (int64_t panel = first; panel < last; ++panel) {
        for (int64_t row = begin; row < end; row += 2 * tile_rows_) {
          multiply(row, panel, sums[at]);
          at = 1 - at;
          if (panel_before >= 0) {
            finish(row_before, panel_before, sums[at]);
          }
          row_before = row;
          panel_before = panel;
        }
      }
    }
    if (panel_before >= 0) {
      finish(row_before, panel_before, sums[1 - at]);
    }
    release_tiles();
  }

 private:
  // Copies the pieces of each row, one after the other. Beyond the depth any bytes may follow,
  // since the weights there are zero.
  void gather(int64_t row, int64_t count, uint8_t* to) const {
    const int64_t width = weights_.depth / rows_.taps;
    if (width <= 16) {
      return gather_narrow(
          row, count, width, to, [](uint8_t* place, const uint8_t* from, uint64_t mask) {
            _mm_storeu_epi8(place, _mm_maskz_loadu_epi8(static_cast<__mmask16>(mask), from));
          });
    }
    if (width <= 32) {
      return gather_narrow(
          row, count, width, to, [](uint8_t* place, const uint8_t* from, uint64_t mask) {
            _mm256_storeu_epi8(place, _mm256_maskz_loadu_epi8(static_cast<__mmask32>(mask), from));
          });
    }
    // Copied before the loop: stores of bytes may change anything else.
    const int64_t taps = rows_.taps, offset = rows_.offset, pitch = pitch_;
    const int64_t whole = width / kByteTileDepth * kByteTileDepth;
    const __mmask64 rest = (uint64_t{1} << (width - whole)) - 1;
    const uint8_t* const* pieces = rows_.pieces + row;
    const int64_t all_rows = at::divup(count, kSide) * kSide;
    for (int64_t tap = 0; tap < taps; ++tap, pieces += kByteRowPitch, to += width) {
      uint8_t* place = to;
      for (int64_t r = 0; r < all_rows; ++r, place += pitch) {
        const uint8_t* const from = pieces[r] + offset;
        for (int64_t k = 0; k < whole; k += kByteTileDepth) {
          _mm512_storeu_si512(place + k, _mm512_loadu_si512(from + k));
        }
        if (rest != 0) {
          _mm512_mask_storeu_epi8(place + whole, rest, _mm512_maskz_loadu_epi8(rest, from + whole));
        }
      }
    }
  }

  // The same of pieces of at most half a row of a tile. `copy` stores a whole register, whose bytes
  // beyond the piece are overwritten by the next one.
  template <class Copy>
  void gather_narrow(
      int64_t begin, int64_t count, int64_t width, uint8_t* to, const Copy& copy) const {
    const int64_t taps = rows_.taps, offset = rows_.offset, pitch = pitch_;
    const uint64_t mask = (uint64_t{1} << width) - 1;
    const uint8_t* const* row = rows_.pieces + begin;
    const uint8_t* const* const end = row + at::divup(count, kSide) * kSide;
    for (; row < end; ++row, to += pitch) {
      uint8_t* place = to;
      const uint8_t* const* piece = row;
      for (int64_t tap = 0; tap < taps; ++tap, piece += kByteRowPitch, place += width) {
        copy(place, *piece + offset, mask);
      }
    }
  }

  void multiply(int64_t row, int64_t panel, int32_t* sums) const {
    const uint8_t* const gathered[] = {gathered_.get(), gathered_.get() + kSide * pitch_};
    const TileRows found{rows_.pieces + row, tile_rows_, taps_, rows_.offset, pitch_, steps_,
                         tile_rows_};
    const TileRows copied{gathered, 1, 1, 0, pitch_, steps_, tile_rows_};
    const bool two_rows = rows_.count - row > tile_rows_;
    const bool two_columns = weights_.columns - panel * kBytePanel > kSide;
    const auto multiply = two_rows
        ? two_columns ? &multiply_pair<true, true> : &multiply_pair<true, false>
        : two_columns ? &multiply_pair<false, true>
                      : &multiply_pair<false, false>;
    multiply(
        gathers_ ? copied : found, weights_.panels + panel * weights_.panel_bytes(),
        conversion_.offsets + panel * kBytePanel, sums);
  }

  int64_t count_from(int64_t row) const { return std::min(rows_.count - row, 2 * tile_rows_); }

  // Converts the sums of up to 32 rows and columns.
  void finish(int64_t row, int64_t panel, const int32_t* sums) const {
    const int64_t column = panel * kBytePanel;
    const int64_t columns = std::min(weights_.columns - column, kBytePanel);
    if (!conversion_.to_bytes) {
      save_numbers(row, column, columns, sums);
    } else if (conversion_.points == nullptr) {
      columns > kSide ? save_bytes<2, false>(row, column, columns, sums)
                      : save_bytes<1, false>(row, column, columns, sums);
    } else {
      columns > kSide ? save_bytes<2, true>(row, column, columns, sums)
                      : save_bytes<1, true>(row, column, columns, sums);
    }
  }

  ByteColumns columns_at(int64_t column) const {
    return ByteColumns(
        conversion_, [&]<class T>(const T* values) { return load_lanes<T>(values + column); });
  }

  Integers sums_at(const int32_t* sums, int64_t row, const ByteColumns& columns) const {
    const auto found = load_lanes<int32_t>(sums);
    return conversion_.points == nullptr ? found : found - columns.points * rows_.row_sums[row];
  }

  template <int kRegisters, bool kPoints>
  void save_bytes(int64_t row, int64_t column, int64_t columns, const int32_t* sums) const {
    constexpr int kTogether = kRegistersOfBytes / kRegisters; // rows that fill a register of bytes
    const ByteConversion conversion = conversion_; // stores of bytes do not change copies
    const ByteColumns parameters[] = {
        columns_at(column), columns_at(column + (kRegisters - 1) * kSide)};
    const auto mask = static_cast<__mmask32>((uint64_t{1} << columns) - 1);
    const int64_t count = count_from(row), pitch = rows_.out_pitch;
    const int32_t* const row_sums = rows_.row_sums + row;
    uint8_t* to = static_cast<uint8_t*>(rows_.out) + row * pitch + column;
    for (int64_t r = 0; r < count; r += kTogether, sums += kTogether * kPair) {
      Integers integers[kRegistersOfBytes];
#pragma GCC unroll 4
      for (int i = 0; i < kRegistersOfBytes; ++i) {
        const ByteColumns& of = parameters[i % kRegisters];
        auto found = load_lanes<int32_t>(sums + i / kRegisters * kPair + i % kRegisters * kSide);
        if constexpr (kPoints) {
          found -= of.points * row_sums[r + i / kRegisters];
        }
        integers[i] = of.nearest_integers(found, conversion.high);
      }
      alignas(64) uint8_t whole[2 * kByteRegister]; // more than is filled is loaded
      store_lanes(whole, converted_bytes<ByteOrder::kConsecutive>(integers, conversion));
#pragma GCC unroll 4
      for (int i = 0; i < kTogether; ++i, to += pitch) {
        if (r + i < count) {
          _mm256_mask_storeu_epi8(
              to, mask,
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(whole + i * kRegisters * kSide)));
        }
      }
    }
  }

  void save_numbers(int64_t row, int64_t column, int64_t columns, const int32_t* sums) const {
    const Numbers low = splat<float>(conversion_.low);
    const int64_t count = count_from(row);
    for (int64_t j = 0; j < columns; j += kSide) {
      const ByteColumns parameters = columns_at(column + j);
      float* to = static_cast<float*>(rows_.out) + row * rows_.out_pitch + column + j;
      for (int64_t r = 0; r < count; ++r, to += rows_.out_pitch) {
        const Integers found = sums_at(sums + r * kPair + j, row + r, parameters);
        save_up_to<float, float>(to, parameters.numbers(found, low), columns - j);
      }
    }
  }

  const PackedBytes& weights_;
  const ByteConversion& conversion_;
  const ByteRows& rows_;
  bool gathers_;
  int64_t taps_, steps_, tile_rows_, pitch_;
  Room<uint8_t> gathered_;
};

void tile_byte_product(
    const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
    int64_t first, int64_t last) {
  TileByteProduct(weights, conversion, rows).run(first, last);
}

#else // has_tile_unit() is false

void tile_byte_product(
    const PackedBytes&, const ByteConversion&, const ByteRows&, int64_t, int64_t) {}

#endif

} // namespace

REGISTER_DISPATCH(tile_byte_product_stub, &tile_byte_product)

} // namespace CPU_CAPABILITY
} // namespace at::native
