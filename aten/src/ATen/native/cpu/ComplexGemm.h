#pragma once

// Products of complex matrices, blocked for registers as those of PackedGemm.h are. A number of a
// meets registers of b, in which real and imaginary parts alternate, twice: its real part
// contributes to one sum and its imaginary part to another. Complete, the two are joined. Distances
// below are of real numbers.

#include <ATen/native/cpu/PackedGemm.h>

#include <algorithm>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace complex_gemm {

// Rows of a that are multiplied at once: four times as many registers hold their sums.
inline constexpr int kStripRows = 6;
// Depth of a block of k: a panel of b and a strip of a should fit the first-level cache together,
// with room for what is requested meanwhile.
template <class T>
inline constexpr int64_t kDepth = sizeof(T) == sizeof(float) ? 256 : 128;
// The bytes of a that are multiplied by one panel after the other: a part of a second-level cache,
// through which c and b pass as well.
inline constexpr int64_t kBlockBytes = 1 << 19;
// An a with adjacent columns is packed for more columns of b, which meet it often enough. Its rows
// may be so far apart that they displace each other in the caches.
inline constexpr int64_t kFewColumns = 128;
// A b with adjacent columns is not packed for up to so many rows, which read it too few times, or
// if its rows are at most so many bytes apart.
inline constexpr int64_t kFewRows = 2 * kStripRows;
inline constexpr int64_t kCloseRows = 1024;

template <class T>
struct ComplexGemm {
  using V = Lanes<T>;
  using Number = c10::complex<T>;
  static constexpr int64_t L = kLanes<T>;
  static constexpr int64_t kPanel = 2 * L;
  static constexpr int64_t kLast = PackedGemm<T>::kLast;

  // A few rows of a, `row` apart, whose numbers are `step` apart.
  struct Strip {
    const T* first;
    int64_t row, step;
  };

  // Two registers of columns of b, and rows that are requested from memory meanwhile.
  struct Panel {
    const T* first;
    int64_t row;
    const T* next;
    int64_t next_row;
    T* copy = nullptr; // where the multiplication also stores the rows
  };

  struct Tile {
    T* c;
    int64_t c_row, rows, cols;
  };

  // What becomes of the sums.
  struct Ending {
    V of_real, of_imag; // by which both sums are multiplied, the second with its parts exchanged
    Number alpha, beta; // alpha is 1 if the registers contain it
    bool adds, plain;   // plain: alpha is 1, and beta 0 or, if it adds, 1

    Ending(const Gemm& g, Number a, Number b) : alpha(a), beta(b) {
      const bool is_real = a.imag() == 0;
      const T scale = is_real ? a.real() : T(1);
      // conj(b) a is the conjugate of b conj(a).
      const T turn = g.a_conjugated != g.b_conjugated ? -scale : scale;
      const T mirrored = g.b_conjugated ? T(-1) : T(1);
      for (int j = 0; j < L; j += 2) {
        of_real[j] = scale;
        of_real[j + 1] = scale * mirrored;
        of_imag[j] = -turn;
        of_imag[j + 1] = turn * mirrored;
      }
      alpha = is_real ? Number(1) : a;
      adds = beta != Number(0);
      plain = is_real && (!adds || beta == Number(1));
    }

    C10_ALWAYS_INLINE V join(V real, V imag) const {
      return at::vec::fma(exchanged_parts<T>(imag), of_imag, real * of_real);
    }
  };

  static V times(V v, Number by) {
    V imag = splat<T>(by.imag());
    for (int j = 0; j < L; j += 2) {
      imag[j] = -by.imag();
    }
    return at::vec::fma(exchanged_parts<T>(v), imag, v * splat<T>(by.real()));
  }

  // Tiles at the border, and those of unusual alpha and beta.
  C10_NOINLINE static void finish(const T* sums, int64_t row, const Tile& to, const Ending& end) {
    for (int64_t r = 0; r < to.rows; ++r) {
      for (int64_t j = 0; j < to.cols; j += L) {
        T* const c = to.c + r * to.c_row + j;
        V v = load_lanes<T>(sums + r * row + j);
        if (end.alpha != Number(1)) {
          v = times(v, end.alpha);
        }
        if (end.adds) {
          const V old = load_up_to<T>(c, to.cols - j, T(0));
          v += end.beta == Number(1) ? old : times(old, end.beta);
        }
        save_up_to<T, T>(c, v, to.cols - j);
      }
    }
  }

  template <int kRows, int kRegisters, bool kCopies = false>
  static void multiply(
      const Strip& a, const Panel& b, int64_t depth, const Tile& to, const Ending& end) {
    constexpr int kHalf = kRows / 2;
    V real[kRows][kRegisters] = {}, imag[kRows][kRegisters] = {};
    const T *upper = a.first, *lower = a.first + kHalf * a.row, *from = b.first;
    int64_t row = a.row;
    // Requested in turn: lines of c, then of b.
    const T *soon = to.c + std::min(kLast, to.cols - 1), *later = to.c + to.cols - 1;
    int64_t soon_row = to.c_row;
    for (int64_t k = 0, stop = std::min<int64_t>(depth, 2 * kRows); k < depth; stop = depth) {
#pragma GCC unroll 2
      for (; k < stop; ++k, upper += a.step, lower += a.step, from += b.row) {
        // Keeps the addresses of the other rows out of registers, of which there are too few.
        asm("" : "+r"(row));
        V v[kRegisters];
#pragma GCC unroll 2
        for (int j = 0; j < kRegisters; ++j) {
          v[j] = load_lanes<T>(from + j * L);
          if constexpr (kCopies) {
            __builtin_prefetch(from + kCopiedAhead * b.row + kLast + j * L);
            store_lanes<T>(b.copy + k * kPanel + j * L, v[j]);
          }
        }
        __builtin_prefetch(soon);
        std::swap(soon, later);
        later += soon_row;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          const T* const number = r < kHalf ? upper + r * row : lower + (r - kHalf) * row;
          const V x = splat<T>(number[0]), y = splat<T>(number[1]);
#pragma GCC unroll 2
          for (int j = 0; j < kRegisters; ++j) {
            real[r][j] = at::vec::fma(x, v[j], real[r][j]);
            imag[r][j] = at::vec::fma(y, v[j], imag[r][j]);
          }
        }
      }
      soon = b.next + kLast;
      later = soon + L;
      soon_row = b.next_row;
    }
    T sums[kRows * kPanel];
    const bool whole = end.plain && to.rows == kRows && to.cols == kRegisters * L;
    T* const out = whole ? to.c : sums;
    const int64_t out_row = whole ? to.c_row : kPanel;
    const bool adds = whole && end.adds;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (int j = 0; j < kRegisters; ++j) {
        T* const c = out + r * out_row + j * L;
        const V sum = end.join(real[r][j], imag[r][j]);
        store_lanes<T>(c, adds ? load_lanes<T>(c) + sum : sum);
      }
    }
    if (!whole) {
      finish(sums, kPanel, to, end);
    }
  }

  // The rows of the next strip when so many are left: a thin rest has sums that wait for each
  // other.
  static int64_t strip_rows(int64_t left) {
    return left <= 2 ? 2 : left <= 4 || left == 7 || left == 8 ? 4 : kStripRows;
  }

  static void multiply_strip(
      const Strip& a, const Panel& b, int64_t depth, const Tile& to, const Ending& end) {
    const bool wide = to.cols > L;
    const auto run = to.rows <= 2 ? (wide ? &multiply<2, 2> : &multiply<2, 1>)
        : to.rows <= 4            ? (wide ? &multiply<4, 2> : &multiply<4, 1>)
                                  : (wide ? &multiply<6, 2> : &multiply<6, 1>);
    run(a, b, depth, to, end);
  }

  // A strip of adjacent numbers as [rows][depth], with zeros beyond the rows of a.
  static void pack_rows(const Strip& a, int64_t depth, int64_t rows, int64_t filled, T* to) {
    for (int64_t r = 0; r < filled; ++r, to += 2 * depth) {
      std::copy_n(a.first + r * a.row, 2 * depth, to);
    }
    std::fill_n(to, 2 * (rows - filled) * depth, T(0));
  }

  // Any other as [depth][rows].
  static void pack_strip(const Strip& a, int64_t depth, int64_t rows, int64_t filled, T* to) {
    for (int64_t k = 0; k < depth; ++k, to += 2 * rows) {
      const T* const from = a.first + k * a.step;
      for (int64_t r = 0; r < filled; ++r) {
        std::copy_n(from + r * a.row, 2, to + 2 * r);
      }
      std::fill_n(to + 2 * filled, 2 * (rows - filled), T(0));
    }
  }

  // One panel of b as [depth][kPanel], with zeros beyond its columns.
  static void pack_panel(const Gemm& g, const T* b, int64_t depth, int64_t cols, T* to) {
    if (cols < kPanel) {
      std::fill_n(to, depth * kPanel, T(0));
    }
    if (g.b_col == 1) {
      for (int64_t k = 0; k < depth; ++k) {
        std::copy_n(b + 2 * k * g.b_row, cols, to + k * kPanel);
      }
      return;
    }
    copy_numbers_transposed(
        reinterpret_cast<const Number*>(b), g.b_col, cols / 2, depth, reinterpret_cast<Number*>(to),
        L);
  }

  // A block of rows of a, over one block of k, times one panel after the other.
  struct Block {
    const Gemm& g;
    int64_t top, rows, k, depth;
    T *strips, *packed; // room for the packed numbers of both

    bool packs_rows() const { return g.k > 1 && (g.a_col != 1 || g.n > kFewColumns); }

    Strip strip(int64_t i) const {
      const int64_t row = 2 * g.a_row, step = 2 * g.a_col;
      return {static_cast<const T*>(g.a) + (top + i) * row + k * step, row, step};
    }

    // Strips that are not read in place are packed: an incomplete one in any case.
    Strip packed_strip(int64_t i, int64_t count, T* to, bool packs) const {
      const Strip from = strip(i);
      const int64_t left = std::min(count, rows - i);
      if (left == count && !packs_rows()) {
        return from;
      }
      const bool by_rows = g.a_col == 1;
      if (packs) {
        (by_rows ? &pack_rows : &pack_strip)(from, depth, count, left, to);
      }
      return by_rows ? Strip{to, 2 * depth, 2} : Strip{to, 2, 2 * count};
    }

    // Multiplies the strips by one panel, `cols` real numbers wide, of b.
    void run_panel(const T* b, int64_t j, int64_t cols, bool in_place, const Ending& end) const {
      const T* const from = b + j * g.b_col;
      const bool whole = cols == kPanel, reads = in_place && whole;
      // The first of many strips packs whole panels while it meets them.
      const bool copies = g.b_col == 1 && whole && !reads && strip_rows(rows) == kStripRows;
      if (!reads && !copies) {
        pack_panel(g, from, depth, cols, packed);
      }
      const bool requests = g.b_col == 1 && whole && !reads && j + 2 * kPanel <= 2 * g.n;
      Panel panel{reads ? from : packed, reads ? 2 * g.b_row : kPanel, from, 0};
      T* to = strips;
      for (int64_t i = 0; i < rows;) {
        const int64_t count = strip_rows(rows - i);
        const Strip a = packed_strip(i, count, to, j == 0);
        if (requests) { // each strip requests its share of the panel that is packed next
          panel.next = from + kPanel + i * depth / rows * 2 * g.b_row;
          panel.next_row = 2 * g.b_row;
        }
        T* const c = static_cast<T*>(g.c) + (top + i) * 2 * g.c_row + j;
        const Tile tile{c, 2 * g.c_row, std::min(count, rows - i), cols};
        if (copies && i == 0) {
          const Panel own{from, 2 * g.b_row, panel.next, panel.next_row, packed};
          multiply<kStripRows, 2, true>(a, own, depth, tile, end);
        } else {
          multiply_strip(a, panel, depth, tile, end);
        }
        i += count;
        to += 2 * count * depth;
      }
    }

    void run(const Ending& end) const {
      const T* const b = static_cast<const T*>(g.b) + 2 * k * g.b_row;
      const bool in_place = g.b_col == 1 &&
          (g.m <= kFewRows || g.b_row * static_cast<int64_t>(sizeof(Number)) <= kCloseRows);
      for (int64_t j = 0; j < 2 * g.n; j += kPanel) {
        run_panel(b, j, std::min(kPanel, 2 * g.n - j), in_place, end);
      }
    }
  };

  static void run(const Gemm& g, Number alpha, Number beta) {
    const int64_t depth = block_size(g.k, kDepth<T>, 1);
    const int64_t most = kBlockBytes / static_cast<int64_t>(sizeof(Number)) / depth;
    const int64_t rows = block_size(g.m, most, kStripRows);
    const c10::DataPtr room = c10::GetCPUAllocator()->allocate(
        static_cast<size_t>((rows + kStripRows) * 2 + kPanel) * depth * sizeof(T));
    T* const packed = static_cast<T*>(room.get());
    for (int64_t k = 0; k < g.k; k += depth) {
      const Ending end(g, alpha, k == 0 ? beta : Number(1));
      for (int64_t top = 0; top < g.m; top += rows) {
        Block{g,
              top,
              std::min(rows, g.m - top),
              k,
              std::min(depth, g.k - k),
              packed + kPanel * depth,
              packed}
            .run(end);
      }
    }
  }
};

} // namespace complex_gemm
} // namespace CPU_CAPABILITY
} // namespace at::native
