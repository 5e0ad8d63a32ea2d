// Matrix products by a processor's tile unit: of bfloat16 with sums in float, and of int8 with sums
// in int32.

#include <ATen/Parallel.h>
#include <ATen/native/Blas.h>
#include <ATen/native/cpu/PackedGemm.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TileProduct.h>

#include <algorithm>

namespace at::native {
namespace {

#if defined(CPU_CAPABILITY_AVX512)

constexpr int64_t kSide = kTileSide;
constexpr int64_t kPair = kTilePair;
constexpr int64_t kStepsAtOnce = 16; // tiles of k; those of two rows fill 32 KiB
constexpr int64_t kPairBytes = 2 * kTileBytes;

using Word = uint32_t;

// Tiles of b are requested so many steps ahead of their use if there are more bytes of them.
constexpr int64_t kStepsAhead = 2;
constexpr int64_t kNearBytes = 512 << 10;

// Rows of b between those that are packed and those that come from memory.
constexpr int64_t kRowsRequested = 8;

// Requests the part of the tiles of b, kStepsAhead from now, for one of four products.
template <bool kFar>
C10_ALWAYS_INLINE void request(const TilePair& b, const char* now, int64_t part) {
  if constexpr (kFar) {
#pragma GCC unroll 8
    for (int64_t line = 0; line < kPairBytes / 4; line += 64) {
      __builtin_prefetch(now + kStepsAhead * b.step + part * kPairBytes / 4 + line);
    }
  }
}

// Rows of c that are requested while their sums are computed, so many at each step: few, as they
// wait for each other.
constexpr int64_t kMostRequested = 4;
struct RowsAhead {
  const char* first;
  int64_t step, at_once;
};

// sums[32][32] (+)= a b for `steps` tiles of k. Without a second row of tiles of a or column of b,
// its sums are not computed. Tiles of b are read once before others take their place in the
// first-level cache, whereas those of a should stay.
template <class T, bool kTwoRows, bool kTwoColumns, bool kFar = false>
TILE_UNIT void multiply_pair(
    const TilePair& a, const TilePair& b, int64_t steps, bool add, void* sums, RowsAhead c) {
  constexpr int64_t kRowBytes = kPair * 4;
  start_sums(static_cast<char*>(sums), kRowBytes, add);
#define MULTIPLY(sum, x, y)                  \
  if constexpr (std::is_same_v<T, int8_t>) { \
    _tile_dpbssd(sum, x, y);                 \
  } else {                                   \
    _tile_dpbf16ps(sum, x, y);               \
  }
  const char *x = a.first, *y = b.first;
  for (int64_t i = 0; i < steps; ++i, x += a.step, y += b.step) {
    _tile_loadd(4, x, a.row);
    _tile_stream_loadd(6, y, b.row);
    MULTIPLY(0, 4, 6)
    request<kFar>(b, y, 0);
    if constexpr (kTwoColumns) {
      _tile_stream_loadd(7, y + b.second, b.row);
      MULTIPLY(1, 4, 7)
      request<kFar>(b, y, 1);
    }
    if constexpr (kTwoRows) {
      _tile_loadd(5, x + a.second, a.row);
      MULTIPLY(2, 5, 6)
      request<kFar>(b, y, 2);
      if constexpr (kTwoColumns) {
        MULTIPLY(3, 5, 7)
        request<kFar>(b, y, 3);
      }
    }
    for (int64_t row = 0; row < c.at_once; ++row, c.first += c.step) {
      __builtin_prefetch(c.first);
    }
  }
#undef MULTIPLY
  store_sums(static_cast<char*>(sums), kRowBytes);
}

template <class T>
class TileGemm {
  static constexpr int64_t kWord = 4 / sizeof(T);  // elements of a word
  static constexpr int64_t kDepth = kSide * kWord; // elements of k in a tile
  using Sum = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>;
  using Out = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, T>;
  using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>;
  using Row = at::vec::Lanes<Bits, kSide>;

 public:
  TileGemm(const Gemm& g, float alpha, float beta)
      : g_(g), alpha_(alpha), beta_(beta), steps_(at::divup(g.k, kDepth)) {}

  void run() const {
    const int64_t fitting = packed_bytes() / (steps_ * kTileBytes) * kSide;
    const int64_t most = std::max(kPair, fitting / kPair * kPair);
    const int64_t width = block_size(g_.n, most, kPair);
    const Room<char> b(width / kSide * steps_ * kTileBytes);
    const Room<char> a(2 * kStepsAtOnce * kTileBytes);
    const Room<Sum> sums(kPair * width);
    use_tiles();
    for (int64_t first = 0; first < g_.n; first += width) {
      const int64_t columns = std::min(width, g_.n - first);
      pack(
          static_cast<const T*>(g_.b) + first * g_.b_col, g_.b_col, columns, g_.b_row, g_.k,
          /*words_by_line=*/false, b.get());
      for (int64_t row = 0; row < g_.m; row += kPair) {
        const int64_t rows = std::min(kPair, g_.m - row);
        multiply_rows(row, rows, first, columns, a.get(), b.get(), sums.get());
      }
    }
    release_tiles();
  }

 private:
  // Columns [first, first + columns) of up to kPair rows of c. Sums are finished at once after the
  // last steps, and take turns in the same memory if there are no others.
  void multiply_rows(
      int64_t row, int64_t rows, int64_t first, int64_t columns, char* a, const char* b,
      Sum* all_sums) const {
    const bool far = columns / kPair * steps_ * kPairBytes > kNearBytes;
    const auto whole =
        far ? &multiply_pair<T, true, true, true> : &multiply_pair<T, true, true, false>;
    for (int64_t step = 0; step < steps_; step += kStepsAtOnce) {
      const int64_t steps = std::min(kStepsAtOnce, steps_ - step), k = step * kDepth;
      const T* from = static_cast<const T*>(g_.a) + row * g_.a_row + k * g_.a_col;
      TilePair tiles{a, kTileBytes, kPairBytes, 64};
      if (reads_in_place(rows, g_.k - k)) {
        const int64_t bytes = g_.a_row * static_cast<int64_t>(sizeof(T));
        tiles = {reinterpret_cast<const char*>(from), kSide * bytes, 64, bytes};
      } else {
        pack(
            from, g_.a_row, rows, g_.a_col, std::min(steps * kDepth, g_.k - k),
            /*words_by_line=*/true, a);
      }
      for (int64_t i = 0; i < columns; i += kPair) {
        const bool two_rows = rows > kSide, two_columns = columns - i > kSide;
        const auto multiply = two_rows ? two_columns ? whole : &multiply_pair<T, true, false>
            : two_columns ? &multiply_pair<T, false, true>
                                       : &multiply_pair<T, false, false>;
        const char* by = b + (i / kPair * steps_ + step) * kPairBytes;
        Sum* const sums = steps_ <= kStepsAtOnce ? all_sums : all_sums + i * kPair;
        const bool last = step + steps == steps_;
        const RowsAhead ahead =
            last && reads_far() ? rows_ahead(row, first + i, steps) : RowsAhead{nullptr, 0, 0};
        multiply(tiles, {by, kTileBytes, kPairBytes, 64}, steps, step > 0, sums, ahead);
        if (last) {
          finish(row, rows, first + i, std::min(kPair, columns - i), sums);
        }
      }
    }
  }

  // Whether c is read, and comes from beyond the second-level cache.
  bool reads_far() const {
    return beta_ != 0 && g_.m * g_.n * static_cast<int64_t>(sizeof(Out)) > kNearBytes;
  }

  RowsAhead rows_ahead(int64_t row, int64_t column, int64_t steps) const {
    const Out* const c = static_cast<const Out*>(g_.c) + row * g_.c_row + column * g_.c_col;
    const int64_t step = by_columns() ? g_.c_col : g_.c_row;
    return {
        reinterpret_cast<const char*>(c), step * static_cast<int64_t>(sizeof(Out)),
        std::min(kMostRequested, at::divup(kPair, steps))};
  }

  // Whether columns of c, instead of rows, are adjacent elements.
  bool by_columns() const { return g_.c_row == 1 && (g_.c_col != 1 || g_.n == 1); }

  // Whether rows of a are tiles as they are: whole ones, of adjacent elements. Rows that are a
  // multiple of 2048 bytes apart would compete for few sets of the cache.
  bool reads_in_place(int64_t rows, int64_t depth) const {
    const int64_t bytes = g_.a_row * static_cast<int64_t>(sizeof(T));
    return g_.a_col == 1 && rows == kPair && bytes % 2048 != 0 &&
        (depth % kDepth == 0 || depth > kStepsAtOnce * kDepth);
  }

  // Packs `lines` rows of a or columns of b as [pair of tiles of lines][tile of k][tile of the
  // pair], padded with zeros. A word of a lies at [line][word], one of b at [word][line].
  static void pack(
      const T* from, int64_t line_step, int64_t lines, int64_t k_step, int64_t depth,
      bool words_by_line, char* to) {
    if constexpr (sizeof(T) == 2) {
      if (line_step == 1 && k_step != 1 && !words_by_line) {
        return pack_columns(from, lines, k_step, depth, to);
      }
    }
    const bool along_lines = k_step == 1 || depth == 1;
    // Whole tiles are transposed on their way if their lines begin whole words apart.
    const bool straight = along_lines && !words_by_line && line_step % kWord == 0;
    const auto read = along_lines ? &read_lines : &read_columns;
    const int64_t step = along_lines ? line_step : k_step;
    for (int64_t pair = 0; pair < lines; pair += kPair) {
      for (int64_t k = 0; k < depth; k += kDepth, to += kPairBytes) {
        for (int64_t line = pair; line < std::min(lines, pair + kPair); line += kSide) {
          const T* tile = from + line * line_step + k * k_step;
          const int64_t some = std::min(kSide, lines - line), deep = std::min(kDepth, depth - k);
          char* const place = to + (line - pair) / kSide * kTileBytes;
          if (straight && some == kSide && deep == kDepth) {
            copy_square_transposed<float>(
                reinterpret_cast<const float*>(tile), line_step / kWord,
                [&](int64_t word) { return place + word * 64; });
          } else if (along_lines == words_by_line) {
            read(tile, step, some, deep, reinterpret_cast<Word*>(place));
          } else {
            alignas(64) Word words[kSide * kSide];
            read(tile, step, some, deep, words);
            copy_block_transposed<float>(
                reinterpret_cast<const float*>(words), kSide, kSide, kSide,
                reinterpret_cast<float*>(place), kSide);
          }
        }
      }
    }
  }

  // Picks elements of two registers in turn, from element `begin` on.
  static __m512i interleaved(int64_t begin) {
    alignas(64) uint16_t order[kPair];
    for (int64_t i = 0; i < kPair; ++i) {
      order[i] = static_cast<uint16_t>(begin + i / 2 + i % 2 * kPair);
    }
    return _mm512_load_si512(order);
  }

  // The same for halves of b that are adjacent in its rows: two rows at a time, as they lie in
  // memory.
  static void pack_columns(const T* from, int64_t columns, int64_t step, int64_t depth, char* to) {
    const int64_t steps = at::divup(depth, kDepth);
    const __m512i first = interleaved(0), second = interleaved(kSide);
    for (int64_t k = 0; k < steps * kDepth; k += kWord, from += kWord * step) {
      char* place = to + k / kDepth * kPairBytes + k % kDepth / kWord * 64;
      const T* row = from;
      for (int64_t j = 0; j < columns; j += kPair, row += kPair, place += steps * kPairBytes) {
        const auto some = first_halves(columns - j);
        const auto load = [&](int64_t i) {
          return _mm512_maskz_loadu_epi16(k + i < depth ? some : 0, row + i * step);
        };
        __builtin_prefetch(row + kRowsRequested * step);
        __builtin_prefetch(row + (kRowsRequested + 1) * step);
        const __m512i upper = load(0), lower = load(1);
        _mm512_storeu_si512(place, _mm512_permutex2var_epi16(upper, first, lower));
        _mm512_storeu_si512(place + kTileBytes, _mm512_permutex2var_epi16(upper, second, lower));
      }
    }
  }

  // Lines of adjacent elements of k as words: [line][word].
  static void read_lines(const T* from, int64_t step, int64_t lines, int64_t depth, Word* to) {
    for (int64_t line = 0; line < kSide; ++line, from += step, to += kSide) {
      at::vec::Lanes<Bits, kDepth> row{};
      if (line < lines) {
        row = at::vec::load_first<Bits, kDepth>(from, depth);
      }
      std::memcpy(to, &row, sizeof(row));
    }
  }

  // Adjacent lines, whose elements of k are `step` apart, as words: [word][line].
  static void read_columns(const T* from, int64_t step, int64_t lines, int64_t depth, Word* to) {
    if (lines == kSide && depth == kDepth) {
      return join_rows(
          [&](int64_t k) {
            __builtin_prefetch(from + (k + kDepth) * step); // the next tile of k
            return at::vec::load<Bits, kSide>(from + k * step);
          },
          to);
    }
    join_rows(
        [&](int64_t k) {
          return k < depth ? at::vec::load_first<Bits, kSide>(from + k * step, lines) : Row{};
        },
        to);
  }

  template <class Load>
  C10_ALWAYS_INLINE static void join_rows(const Load& load, Word* to) {
    for (int64_t k = 0; k < kDepth; k += kWord, to += kSide) {
      __m512i words = as_words(load(k));
#pragma GCC unroll 4
      for (int64_t i = 1; i < kWord; ++i) {
        const __m512i next = as_words(load(k + i));
        words |= _mm512_maskz_slli_epi32(kAllWords, next, static_cast<unsigned>(i * 8 * sizeof(T)));
      }
      std::memcpy(to, &words, sizeof(words));
    }
  }

  // As words. GCC converts lanes one by one.
  static constexpr __mmask16 kAllWords = 0xffff;
  C10_ALWAYS_INLINE static __m512i as_words(const Row& row) {
    if constexpr (sizeof(T) == 1) {
      return _mm512_maskz_cvtepu8_epi32(kAllWords, reinterpret_cast<__m128i>(row));
    } else {
      return _mm512_maskz_cvtepu16_epi32(kAllWords, reinterpret_cast<__m256i>(row));
    }
  }

  // c = alpha sums + beta c
  void finish(int64_t row, int64_t rows, int64_t column, int64_t columns, const Sum* sums) const {
    Out* const c = static_cast<Out*>(g_.c) + row * g_.c_row + column * g_.c_col;
    if (!by_columns()) {
      return finish_rows(rows, columns, sums, c, g_.c_row);
    }
    alignas(64) Sum turned[kPair * kPair];
    copy_transposed<float>(
        reinterpret_cast<const float*>(sums), kPair, kPair, kPair, reinterpret_cast<float*>(turned),
        kPair);
    finish_rows(columns, rows, turned, c, g_.c_col);
  }

  void finish_rows(int64_t rows, int64_t columns, const Sum* sums, Out* c, int64_t step) const {
    if constexpr (std::is_same_v<T, c10::BFloat16>) {
      const auto run =
          alpha_ == 1 && beta_ == 0 ? &TileGemm::round_rows<true> : &TileGemm::round_rows<false>;
      (this->*run)(rows, columns, sums, c, step);
    } else {
      for (int64_t i = 0; i < rows; ++i, c += step, sums += kPair) {
        for (int64_t j = 0; j < columns; j += kSide) {
          save_up_to<Out, Sum>(c + j, load_lanes<Sum>(sums + j), columns - j);
        }
      }
    }
  }

  // The instruction that rounds would clear subnormal numbers. The tile unit leaves none.
  template <bool kPlain>
  ROUNDING_UNIT void round_rows(
      int64_t rows, int64_t columns, const float* sums, c10::BFloat16* c, int64_t step) const {
    const __mmask32 some = first_halves(columns);
    for (int64_t i = 0; i < rows; ++i, c += step, sums += kPair) {
      auto low = load_lanes<float>(sums), high = load_lanes<float>(sums + kSide);
      if constexpr (!kPlain) {
        low *= alpha_, high *= alpha_;
        if (beta_ != 0) {
          low += floats_of(load_sixteen(c, columns)) * beta_;
          high += floats_of(load_sixteen(c + kSide, columns - kSide)) * beta_;
        }
        if ((subnormal(low) | subnormal(high)) != 0) [[unlikely]] {
          save_up_to<c10::BFloat16, float>(c, low, columns);
          if (columns > kSide) {
            save_up_to<c10::BFloat16, float>(c + kSide, high, columns - kSide);
          }
          continue;
        }
      }
      _mm512_mask_storeu_epi16(c, some, rounded(low, high));
    }
  }

  static Lanes<float> floats_of(__m256i halves) {
    const __m512i words = _mm512_maskz_cvtepu16_epi32(kAllWords, halves);
    return reinterpret_cast<Lanes<float>>(_mm512_maskz_slli_epi32(kAllWords, words, 16));
  }

  static __mmask16 subnormal(Lanes<float> v) {
    constexpr int kSubnormal = 0x20;
    return _mm512_fpclass_ps_mask(v, kSubnormal);
  }

  const Gemm& g_;
  float alpha_, beta_;
  int64_t steps_; // tiles of k
};

// Few rows are the columns of the transposed product, whose larger operand is read once. If columns
// have to be transposed to be packed because their elements are adjacent, transposing the rows and
// the product instead may be faster.
Gemm with_fewer_columns(const Gemm& g) {
  const bool turns_less = g.b_row == 1 && g.m * (g.n + g.k) < g.n * g.k;
  if (g.m >= g.n || (g.m > kPair && !turns_less)) {
    return g;
  }
  return {g.n, g.m, g.k, g.b, g.b_col, g.b_row, g.a, g.a_col, g.a_row, g.c, g.c_col, g.c_row};
}

void tile_gemm(c10::ScalarType dtype, const Gemm& job, double alpha, double beta) {
  const Gemm g = with_fewer_columns(job);
  if (dtype == c10::ScalarType::Char) {
    TileGemm<int8_t>(g, 1.0f, 0.0f).run();
  } else {
    TileGemm<c10::BFloat16>(g, static_cast<float>(alpha), static_cast<float>(beta)).run();
  }
}

#else // has_tile_unit() is false

void tile_gemm(c10::ScalarType, const Gemm&, double, double) {}

#endif

} // namespace

REGISTER_DISPATCH(tile_gemm_stub, &tile_gemm)

} // namespace at::native
