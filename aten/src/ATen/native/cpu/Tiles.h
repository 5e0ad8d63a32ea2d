#pragma once

// A processor's tile unit (Intel's AMX), for kernels that has_tile_unit() allows. It has eight
// tiles of 16 rows of 64 bytes. A tile of a, 16 rows of adjacent terms, times one of b, whose words
// of 4 bytes hold adjacent terms of 16 columns, is added to 16x16 sums of 4 bytes. Two tiles of
// each give four products for four loads.

#include <cstdint>

#if defined(CPU_CAPABILITY_AVX512)
#include <immintrin.h>

#define TILE_UNIT __attribute__((target("amx-tile,amx-bf16,amx-int8")))

namespace at::native {
inline namespace CPU_CAPABILITY {

inline constexpr int64_t kTileSide = 16;            // rows, and words of a row
inline constexpr int64_t kTileBytes = 1024;         // of 64 bytes a row
inline constexpr int64_t kTilePair = 2 * kTileSide; // rows or columns that are multiplied at once

TILE_UNIT inline void use_tiles() {
  struct Config {
    uint8_t palette = 1, first_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  static constexpr Config config; // in memory: the compiler sees only its first bytes read
  _tile_loadconfig(&config);
}
TILE_UNIT inline void release_tiles() {
  _tile_release();
}

} // namespace CPU_CAPABILITY
} // namespace at::native

#endif
