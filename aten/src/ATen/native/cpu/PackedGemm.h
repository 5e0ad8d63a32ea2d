#pragma once

#include <ATen/native/Blas.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <c10/core/CPUAllocator.h>

#include <unistd.h>

#include <algorithm>

// A matrix product blocked for registers, after Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008): b is packed in panels two registers wide; slivers of a, each a
// few rows, stay in the first-level cache; and registers accumulate the product over a block of k.
// Elements that are adjacent in the direction in which they are read may remain in place: those of
// a where it meets few columns, those of b where its rows are close together or few rows read them.

namespace at::native {
inline namespace CPU_CAPABILITY {

// Rows of a that are multiplied at once: twice as many registers hold their sums.
#if defined(CPU_CAPABILITY_AVX512)
inline constexpr int kPanelRows = 12;
inline constexpr int kRowStep = 4;
#else
inline constexpr int kPanelRows = 6;
inline constexpr int kRowStep = 6;
#endif
// Depth of a block of k: a panel and a sliver should fit the first-level cache together.
inline constexpr int64_t kDepth = 256;
// Slivers that are packed together, so that whole cache lines of a transposed a are used.
inline constexpr int64_t kSlivers = 12;
inline constexpr int64_t kGroupRows = kSlivers * kPanelRows;
// Rows of a panel between those that are multiplied and those that come from the second-level
// cache.
inline constexpr int64_t kRowsAhead = 48;
// The same while a panel is copied, whose rows may all belong to one set of the first-level cache.
inline constexpr int64_t kCopiedAhead = 8;
// A b with adjacent columns is not packed for up to so many rows, which read it too few times.
inline constexpr int64_t kFewRows = 2 * kPanelRows;
// Nor is it if its rows are at most so many bytes apart: the caches then hold a block of it.
inline constexpr int64_t kCloseRows = 2048;
// Rows of a are packed for more columns than so many: packed, they conflict less in the caches.
inline constexpr int64_t kFewColumns = 512;

// The number of bytes of b that are packed together: half of the second-level cache.
inline int64_t packed_bytes() {
  static const int64_t bytes = [] {
    int64_t cache = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return std::clamp<int64_t>(cache / 2, 512 << 10, 1 << 20);
  }();
  return bytes;
}

enum class SliverOrder {
  kTransposed, // [depth][kPanelRows]
  kInPlace,    // the rows of a itself
};

// The size of the blocks that divide `all` into as few as possible, nearly equal ones.
inline int64_t block_size(int64_t all, int64_t most, int64_t step) {
  const int64_t blocks = (all + most - 1) / most;
  return ((all + blocks - 1) / blocks + step - 1) / step * step;
}

template <class T>
struct PackedGemm {
  using V = Lanes<T>;
  static constexpr int L = kLanes<T>;
  static constexpr int64_t kPanel = 2 * L;
  // A register may lie across two lines of the cache, the first of which also ends the register
  // before it. So the line of its last element is requested.
  static constexpr int64_t kLast = L - 1;

  // One panel of b, and the memory to request while it is multiplied: one row from `ahead` on at
  // every step and, after the tile of c, one row from `next` on at every second step.
  struct Panel {
    const T* first;
    int64_t row; // the distance of rows, also of those from `ahead` on
    const T* ahead;
    const T* next;
    int64_t next_row;
    T* copy = nullptr; // where the multiplication also stores the rows
  };

  // Where the panels of b lie: packed, or in b itself.
  struct Panels {
    const T* first;
    int64_t row;               // the distance of rows
    int64_t panel;             // the distance of panels
    const T* narrow = nullptr; // a packed last panel with fewer columns, if the others are in place
  };

  // The panel from column j on, whose own later rows are requested.
  static Panel panel_of(const Panels& panels, int64_t j, int64_t width) {
    const bool narrow = width < kPanel && panels.narrow != nullptr;
    const T* const first = narrow ? panels.narrow : panels.first + j / kPanel * panels.panel;
    const int64_t row = narrow ? kPanel : panels.row;
    return {first, row, first + kRowsAhead * row, first, 0};
  }

  // All panels of b. Rows of whole panels are read as they lie in memory, and requested a row
  // ahead.
  static void pack(const Gemm& g, const T* b, int64_t depth, int64_t cols, T* to) {
    const int64_t whole = g.b_col == 1 ? cols / kPanel * kPanel : 0;
    for (int64_t k = 0; k < depth && whole > 0; ++k) {
      const T* from = b + k * g.b_row;
      T* row = to + k * kPanel;
      for (int64_t j = 0; j < whole; j += kPanel, from += kPanel, row += depth * kPanel) {
        __builtin_prefetch(from + g.b_row);
        __builtin_prefetch(from + g.b_row + L);
        store_lanes<T>(row, load_lanes<T>(from));
        store_lanes<T>(row + L, load_lanes<T>(from + L));
      }
    }
    for (int64_t j = whole; j < cols; j += kPanel) {
      pack_panel(g, b + j * g.b_col, depth, std::min(kPanel, cols - j), to + j * depth);
    }
  }

  // One panel of b as [depth][kPanel], with zeros beyond `cols`.
  static void pack_panel(const Gemm& g, const T* b, int64_t depth, int64_t cols, T* to) {
    if (cols < kPanel) {
      std::fill_n(to, depth * kPanel, T(0));
    }
    if (g.b_col == 1) {
      for (int64_t k = 0; k < depth; ++k) {
        std::copy_n(b + k * g.b_row, cols, to + k * kPanel);
      }
      return;
    }
    for (int64_t k = 0; k < depth; k += L) {
      for (int64_t j = 0; j < cols; j += L) {
        copy_block_transposed(
            b + j * g.b_col + k, g.b_col, std::min<int64_t>(L, cols - j),
            std::min<int64_t>(L, depth - k), to + k * kPanel + j, kPanel);
      }
    }
  }

  // A few rows of a that are multiplied at once. The next ones begin kPanelRows times `row` after
  // them; for kInPlace, that is also the distance of rows.
  struct Sliver {
    const T* first;
    int64_t row;
  };

  // Rows of a row-major a as [row][depth], padded with zeros to a multiple of kRowStep.
  static Sliver pack_rows(const Gemm& g, const T* a, int64_t rows, int64_t depth, T* to) {
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(a + r * g.a_row, depth, to + r * depth);
    }
    for (int64_t r = rows; r % kRowStep != 0; ++r) {
      std::fill_n(to + r * depth, depth, T(0));
    }
    return {to, depth};
  }

  // Slivers of a transposed a, the last one padded with zeros.
  static void pack_slivers(const Gemm& g, const T* a, int64_t rows, int64_t depth, T* to) {
    const int64_t whole = rows / kPanelRows * kPanelRows;
    for (int64_t k = 0; k < depth; ++k, a += g.a_col, to += kPanelRows) {
      T* sliver = to;
      for (int64_t r = 0; r < whole; r += kPanelRows, sliver += depth * kPanelRows) {
        copy_panel_rows(a + r, sliver);
      }
      for (int64_t r = whole; r < rows; ++r) {
        sliver[r - whole] = a[r];
      }
      if (whole < rows) {
        std::fill_n(sliver + rows - whole, kPanelRows - (rows - whole), T(0));
      }
    }
  }

  static void copy_panel_rows(const T* from, T* to) {
#pragma GCC unroll 2
    for (int i = 0; i < kPanelRows / L * L; i += L) {
      store_lanes<T>(to + i, load_lanes<T>(from + i));
    }
    constexpr int kRest = kPanelRows % L;
    at::vec::copy_elements<sizeof(T)>(to + kPanelRows - kRest, from + kPanelRows - kRest, kRest);
  }

  // A whole register, or its first columns.
  static void finish(V sum, T* c, T alpha, T beta) {
    if (alpha == 1 && beta == 0) {
      return store_lanes<T>(c, sum);
    }
    V result = sum * alpha;
    if (beta != 0) {
      result = at::vec::fma(load_lanes<T>(c), splat<T>(beta), result);
    }
    store_lanes<T>(c, result);
  }
  static void finish(V sum, T* c, int64_t cols, T alpha, T beta) {
    if (cols <= 0) {
      return;
    }
    V result = sum * alpha;
    // Every sum has its own copy of this code: with AVX-512, masks make it short.
    if constexpr (at::vec::kVectorBytes == 64) {
      cols = std::min<int64_t>(cols, L);
      if (beta != 0) {
        result = at::vec::fma(at::vec::load_first<T, L>(c, cols), splat<T>(beta), result);
      }
      at::vec::store_first<T, L>(c, result, cols);
    } else {
      if (beta != 0) {
        result = at::vec::fma(load_up_to<T>(c, cols, T(0)), splat<T>(beta), result);
      }
      save_up_to<T, T>(c, result, cols);
    }
  }

  // `kRegisters` registers of columns; the last panel may need only one. The tile of c, which comes
  // from farther away than a and b, is requested a register at a time: many requests at once would
  // wait for each other.
  template <int kRows, int kRegisters, SliverOrder kOrder, bool kCopies = false>
  static void multiply(
      const Sliver& a, const Panel& b, int64_t depth, T* c, int64_t c_row, int64_t rows,
      int64_t cols, T alpha, T beta) {
    constexpr int64_t kStep = kOrder == SliverOrder::kTransposed ? kPanelRows : 1;
    int64_t row = kOrder == SliverOrder::kInPlace ? a.row : 1;
    const T* fours[(kRows + 3) / 4]; // every fourth row
#pragma GCC unroll 4
    for (int r = 0; r < kRows; r += 4) {
      fours[r / 4] = a.first + r * row;
    }
    V sum[kRows][kRegisters] = {};
    const T *soon = c + std::min(kLast, cols - 1), *later = c + cols - 1; // requested in turn
    int64_t soon_row = c_row;
    for (int64_t k = 0, end = std::min<int64_t>(depth, 2 * kRows); k < depth; end = depth) {
#pragma GCC unroll 4
      for (; k < end; ++k) {
        if constexpr (kOrder == SliverOrder::kInPlace) {
          // Keeps the addresses of the other rows out of registers, of which there are too few.
          asm("" : "+r"(row));
        }
        V from[kRegisters];
#pragma GCC unroll 2
        for (int j = 0; j < kRegisters; ++j) {
          from[j] = load_lanes<T>(b.first + k * b.row + j * L);
          __builtin_prefetch(b.ahead + k * b.row + kLast + j * L);
          if constexpr (kCopies) {
            store_lanes<T>(b.copy + k * kPanel + j * L, from[j]);
          }
        }
        __builtin_prefetch(soon);
        std::swap(soon, later);
        later += soon_row;
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const V x = splat<T>(fours[r / 4][k * kStep + r % 4 * row]);
#pragma GCC unroll 2
          for (int j = 0; j < kRegisters; ++j) {
            sum[r][j] = at::vec::fma(x, from[j], sum[r][j]);
          }
        }
      }
      soon = b.next + kLast;
      later = soon + L;
      soon_row = b.next_row;
    }
    if (rows == kRows && cols == kRegisters * L) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r, c += c_row) {
#pragma GCC unroll 2
        for (int j = 0; j < kRegisters; ++j) {
          finish(sum[r][j], c + j * L, alpha, beta);
        }
      }
      return;
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      if (r < rows) {
#pragma GCC unroll 2
        for (int j = 0; j < kRegisters; ++j) {
          finish(sum[r][j], c + r * c_row + j * L, cols - j * L, alpha, beta);
        }
      }
    }
  }

  template <int kRegisters, SliverOrder kOrder>
  static void multiply_rows(
      const Sliver& a, const Panel& b, int64_t depth, T* c, int64_t c_row, int64_t rows,
      int64_t cols, T alpha, T beta) {
    if (rows > 2 * kRowStep) {
      return multiply<kPanelRows, kRegisters, kOrder>(
          a, b, depth, c, c_row, rows, cols, alpha, beta);
    }
    if (rows > kRowStep) {
      return multiply<std::min(2 * kRowStep, kPanelRows), kRegisters, kOrder>(
          a, b, depth, c, c_row, rows, cols, alpha, beta);
    }
    multiply<kRowStep, kRegisters, kOrder>(a, b, depth, c, c_row, rows, cols, alpha, beta);
  }

  // Multiplies one sliver by one panel.
  template <SliverOrder kOrder>
  static void multiply_panel(
      const Sliver& sliver, const Panel& panel, int64_t depth, T* c, int64_t c_row, int64_t rows,
      int64_t cols, T alpha, T beta) {
    const auto run = cols > L ? &multiply_rows<2, kOrder> : &multiply_rows<1, kOrder>;
    run(sliver, panel, depth, c, c_row, rows, cols, alpha, beta);
  }

  // Multiplies one sliver by all panels.
  template <SliverOrder kOrder>
  static void multiply_sliver(
      const Sliver& sliver, const Panels& panels, int64_t depth, T* c, int64_t c_row, int64_t rows,
      int64_t cols, T alpha, T beta) {
    for (int64_t j = 0; j < cols; j += kPanel) {
      const int64_t width = std::min(kPanel, cols - j);
      multiply_panel<kOrder>(
          sliver, panel_of(panels, j, width), depth, c + j, c_row, rows, width, alpha, beta);
    }
  }

  static bool is_transposed(const Gemm& g) {
    return g.a_col != 1 && g.k > 1;
  }

  // The first sliver of up to kGroupRows rows of a, which are packed if they are not read in place.
  static Sliver slivers_of(const Gemm& g, const T* a, int64_t rows, int64_t depth, T* packed) {
    if (is_transposed(g)) {
      pack_slivers(g, a, rows, depth, packed);
      return {packed, depth};
    }
    // Rows that lie whole pages apart compete for one set of the first-level cache.
    const bool compete = g.a_row * static_cast<int64_t>(sizeof(T)) % 4096 == 0;
    const bool in_place = rows % kRowStep == 0 && g.n <= (compete ? kFewColumns / 2 : kFewColumns);
    return in_place ? Sliver{a, g.a_row} : pack_rows(g, a, rows, depth, packed);
  }

  static bool is_close(const Gemm& g) {
    return g.m <= kFewRows || g.b_row * static_cast<int64_t>(sizeof(T)) <= kCloseRows;
  }

  // Packs the panels of b that are not read in place.
  static Panels panels_of(const Gemm& g, const T* b, int64_t depth, int64_t cols, T* packed) {
    if (g.b_col != 1 || !is_close(g)) {
      pack(g, b, depth, cols, packed);
      return {packed, kPanel, depth * kPanel};
    }
    const int64_t whole = cols / kPanel * kPanel;
    if (whole < cols) {
      pack_panel(g, b + whole, depth, cols - whole, packed);
    }
    return {b, g.b_row, kPanel, packed};
  }

  // Many rows: panels of b stay in the second-level cache while slivers go by.
  template <SliverOrder kOrder>
  static void by_slivers(
      const Gemm& g, const T* a, const T* b, int64_t depth, T* c, int64_t cols, T* packed,
      T* slivers, T alpha, T beta) {
    const Panels panels = panels_of(g, b, depth, cols, packed);
    // Rows in their order are packed shortly before they are read.
    constexpr int64_t kGroup = kOrder == SliverOrder::kTransposed ? kGroupRows : kPanelRows;
    for (int64_t i = 0; i < g.m; i += kGroup) {
      const int64_t end = std::min(g.m, i + kGroup);
      Sliver sliver = slivers_of(g, a + i * g.a_row, end - i, depth, slivers);
      for (int64_t r = i; r < end; r += kPanelRows, sliver.first += kPanelRows * sliver.row) {
        multiply_sliver<kOrder>(
            sliver, panels, depth, c + r * g.c_row, g.c_row, std::min<int64_t>(kPanelRows, end - r),
            cols, alpha, beta);
      }
    }
  }

  // The size of the next sliver when so many rows are left: two of medium size are faster than a
  // whole one and a thin one, whose few sums wait for each other.
  template <SliverOrder kOrder>
  static int64_t sliver_rows(int64_t left) {
    const bool thin_rest = left > kPanelRows && left <= kPanelRows + kRowStep;
    if (kOrder == SliverOrder::kInPlace && thin_rest && kPanelRows > 2 * kRowStep) {
      return 2 * kRowStep;
    }
    return std::min<int64_t>(kPanelRows, left);
  }

  // Few rows: they stay in the second-level cache while panels of b, each packed shortly before it
  // is read, go by.
  template <SliverOrder kOrder>
  static void by_panels(
      const Gemm& g, const T* a, const T* b, int64_t depth, T* c, int64_t cols, T* packed,
      T* slivers, T alpha, T beta) {
    // Other products are seldom computed here, and each has a copy of the code.
    constexpr bool kMayCopy = kOrder == SliverOrder::kInPlace && at::vec::kVectorBytes == 64;
    const Sliver first = slivers_of(g, a, g.m, depth, slivers);
    for (int64_t j = 0; j < cols; j += kPanel) {
      const int64_t width = std::min(kPanel, cols - j);
      const T* const from = b + j * g.b_col;
      // The first of many slivers packs whole panels while it meets them.
      const bool copies = kMayCopy && width == kPanel && g.b_col == 1 && !is_close(g);
      const Panels panels = copies ? Panels{packed, kPanel, depth * kPanel}
                                   : panels_of(g, from, depth, width, packed);
      Panel panel = panel_of(panels, 0, width);
      const bool packs_rows = g.b_col == 1 && panels.first == packed;
      if (packs_rows) {
        panel.ahead = panel.first; // the first-level cache has all of it
        panel.next_row = g.b_row;
      }
      Sliver sliver = first;
      for (int64_t i = 0, rows; i < g.m; i += rows, sliver.first += rows * sliver.row) {
        if (packs_rows) { // each sliver requests its share of the panel that is packed next
          panel.next = from + kPanel + i * depth / g.m * g.b_row;
        }
        rows = sliver_rows<kOrder>(g.m - i);
        if constexpr (kMayCopy) {
          if (copies && i == 0) {
            const Panel own{from,       g.b_row, from + kCopiedAhead * g.b_row,
                            panel.next, g.b_row, packed};
            multiply<kPanelRows, 2, kOrder, true>(
                sliver, own, depth, c + j, g.c_row, rows, width, alpha, beta);
            continue;
          }
        }
        multiply_panel<kOrder>(
            sliver, panel, depth, c + i * g.c_row + j, g.c_row, rows, width, alpha, beta);
      }
    }
  }

  // Computes columns [first, first + cols) of c, over one block of k.
  static void block(
      const Gemm& g, int64_t k, int64_t depth, int64_t first, int64_t cols, T* packed, T* slivers,
      T alpha, T beta) {
    constexpr SliverOrder kTransposed = SliverOrder::kTransposed, kInPlace = SliverOrder::kInPlace;
    const bool few = g.m <= kGroupRows;
    const auto run = is_transposed(g) ? (few ? &by_panels<kTransposed> : &by_slivers<kTransposed>)
                                      : (few ? &by_panels<kInPlace> : &by_slivers<kInPlace>);
    run(g, static_cast<const T*>(g.a) + k * g.a_col,
        static_cast<const T*>(g.b) + k * g.b_row + first * g.b_col, depth,
        static_cast<T*>(g.c) + first, cols, packed, slivers, alpha, beta);
  }

  static void run(const Gemm& g, T alpha, T beta) {
    const auto most_cols = packed_bytes() / kDepth / static_cast<int64_t>(sizeof(T));
    const int64_t width = block_size(g.n, most_cols, kPanel);
    const int64_t depth = block_size(g.k, kDepth, 1);
    constexpr int64_t kSliverRoom = kGroupRows * kDepth;
    const c10::DataPtr room = c10::GetCPUAllocator()->allocate(
        static_cast<size_t>(kSliverRoom + width * depth) * sizeof(T));
    T* const slivers = static_cast<T*>(room.get());
    for (int64_t first = 0; first < g.n; first += width) {
      for (int64_t k = 0; k < g.k; k += depth) {
        block(
            g, k, std::min(depth, g.k - k), first, std::min(width, g.n - first),
            slivers + kSliverRoom, slivers, alpha, k == 0 ? beta : T(1));
      }
    }
  }
};

} // namespace CPU_CAPABILITY
} // namespace at::native
