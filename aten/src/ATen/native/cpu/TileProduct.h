#pragma once

// Products of packed bfloat16 tiles by a processor's tile unit, for kernels that lay out their
// operands themselves: a word of a tile holds two adjacent elements of k.

#include <ATen/native/cpu/Tiles.h>
#include <ATen/native/cpu/TransposedCopy.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(CPU_CAPABILITY_AVX512)
// Processors with tiles have it.
#define ROUNDING_UNIT __attribute__((target("avx512bf16")))

namespace at::native {
inline namespace CPU_CAPABILITY {

inline constexpr int64_t kTileDepth = 32; // elements of k

// Two tiles next to each other, `second` bytes apart, for each step of k, `step` bytes apart.
struct TilePair {
  const char* first;
  int64_t second, step, row;
};

// sums[32][32], with rows `row` bytes apart, (+)= a b for `steps` tiles of k; that of a at step i
// is place(i) bytes after the first.
template <class Place>
TILE_UNIT inline void multiply_tiles(
    const TilePair& a, const Place& place, const TilePair& b, int64_t steps, bool add, float* sums,
    int64_t row) {
  char* const to = reinterpret_cast<char*>(sums);
  start_sums(to, row, add);
  const char* y = b.first;
  for (int64_t i = 0; i < steps; ++i, y += b.step) {
    const char* x = a.first + place(i);
    _tile_loadd(4, x, a.row);
    _tile_loadd(6, y, b.row);
    _tile_loadd(7, y + b.second, b.row);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, x + a.second, a.row);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  store_sums(to, row);
}

inline void multiply_tiles(
    const TilePair& a, const TilePair& b, int64_t steps, bool add, float* sums, int64_t row) {
  multiply_tiles(
      a, [&](int64_t i) { return i * a.step; }, b, steps, add, sums, row);
}

// The bfloat16 nearest to 32 sums.
C10_ALWAYS_INLINE ROUNDING_UNIT __m512i rounded(__m512 low, __m512 high) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
}

inline __mmask32 first_halves(int64_t count) {
  return count >= kTileDepth ? 0xffffffffu : (uint32_t{1} << std::max<int64_t>(count, 0)) - 1;
}

// The first `count` of 32 elements; the others are zero.
inline __m512i load_halves(const c10::BFloat16* from, int64_t count) {
  return _mm512_maskz_loadu_epi16(first_halves(count), from);
}

inline __m256i load_sixteen(const c10::BFloat16* from, int64_t count) {
  return _mm256_maskz_loadu_epi16(static_cast<__mmask16>(first_halves(count)), from);
}

// A tile of a: `lines` rows of `depth` adjacent elements, padded with zeros.
inline void pack_rows(
    const c10::BFloat16* from, int64_t step, int64_t lines, int64_t depth, char* to) {
  for (int64_t i = 0; i < kTileSide; ++i, from += step, to += 64) {
    _mm512_storeu_si512(to, i < lines ? load_halves(from, depth) : _mm512_setzero_si512());
  }
}

inline void transpose_words(const char* from, char* to) {
  copy_block_transposed<float>(
      reinterpret_cast<const float*>(from), kTileSide, kTileSide, kTileSide,
      reinterpret_cast<float*>(to), kTileSide);
}

// The same as a tile of b, whose columns these rows are.
inline void pack_columns(
    const c10::BFloat16* from, int64_t step, int64_t lines, int64_t depth, char* to) {
  alignas(64) char rows[kTileBytes];
  pack_rows(from, step, lines, depth, rows);
  transpose_words(rows, to);
}

// A tile of b from `depth` rows of k with `columns` adjacent elements.
inline void pack_depth(
    const c10::BFloat16* from, int64_t step, int64_t depth, int64_t columns, char* to) {
  const auto words = [](__m256i v) { return _mm512_maskz_cvtepu16_epi32(0xffff, v); };
  for (int64_t k = 0; k < kTileDepth; k += 2, from += 2 * step, to += 64) {
    const __m256i low = load_sixteen(from, k < depth ? columns : 0);
    const __m256i high = load_sixteen(from + step, k + 1 < depth ? columns : 0);
    _mm512_storeu_si512(to, words(low) | _mm512_maskz_slli_epi32(0xffff, words(high), 16));
  }
}

// The same as a tile of a, whose rows these columns are.
inline void pack_depth_transposed(
    const c10::BFloat16* from, int64_t step, int64_t depth, int64_t columns, char* to) {
  alignas(64) char words[kTileBytes];
  pack_depth(from, step, depth, columns, words);
  transpose_words(words, to);
}

} // namespace CPU_CAPABILITY
} // namespace at::native

#endif
