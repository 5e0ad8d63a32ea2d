#pragma once

// A processor's tile unit (Intel's AMX), for kernels that has_tile_unit() allows. It has eight
// tiles of 16 rows of 64 bytes. A tile of a, 16 rows of adjacent terms, times one of b, whose words
// of 4 bytes hold adjacent terms of 16 columns, is added to 16x16 sums of 4 bytes. Two tiles of
// each give four products for four loads.

#include <array>
#include <cstdint>

#if defined(CPU_CAPABILITY_AVX512)
#include <immintrin.h>

#define TILE_UNIT __attribute__((target("amx-tile,amx-bf16,amx-int8")))

namespace at::native {
inline namespace CPU_CAPABILITY {

inline constexpr int64_t kTileSide = 16;            // rows, and words of a row
inline constexpr int64_t kTileBytes = 1024;         // of 64 bytes a row
inline constexpr int64_t kTilePair = 2 * kTileSide; // rows or columns that are multiplied at once

struct TileConfig {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Tiles 0 to 5, those of a and of the sums, have `rows` rows of 64 bytes, tiles 6 and 7 have 16.
TILE_UNIT inline void use_tiles(int64_t rows = kTileSide) {
  // In memory: the compiler sees only the first bytes of one read.
  static constexpr auto configs = [] {
    std::array<TileConfig, kTileSide + 1> all;
    for (uint8_t count = 0; count <= kTileSide; ++count) {
      for (int tile = 0; tile < 6; ++tile) {
        all[count].rows[tile] = count;
      }
    }
    return all;
  }();
  _tile_loadconfig(&configs[rows]);
}
TILE_UNIT inline void release_tiles() {
  _tile_release();
}

// Tiles 0 to 3 are the sums of two tiles of a by two of b: [32][32], with rows `row` bytes apart.
// They start from zero or, to `add`, from what is in memory.
TILE_UNIT inline void start_sums(const char* sums, int64_t row, bool add) {
  if (add) {
    _tile_loadd(0, sums, row);
    _tile_loadd(1, sums + 64, row);
    _tile_loadd(2, sums + kTileSide * row, row);
    _tile_loadd(3, sums + kTileSide * row + 64, row);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
}
TILE_UNIT inline void store_sums(char* sums, int64_t row) {
  _tile_stored(0, sums, row);
  _tile_stored(1, sums + 64, row);
  _tile_stored(2, sums + kTileSide * row, row);
  _tile_stored(3, sums + kTileSide * row + 64, row);
}

} // namespace CPU_CAPABILITY
} // namespace at::native

#endif
