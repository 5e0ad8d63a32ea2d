#include <ATen/native/Blas.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <c10/core/CPUAllocator.h>

#include <algorithm>

// A matrix product blocked for registers, after Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008): b is packed in panels two registers wide, a few rows of a stay in
// the first-level cache, and the product is accumulated in registers over a block of k.

namespace at::native {
namespace {

// Rows of a that are multiplied at once: twice as many registers hold their sums.
#if defined(CPU_CAPABILITY_AVX512)
inline constexpr int kPanelRows = 12;
inline constexpr int kRowStep = 4;
#else
inline constexpr int kPanelRows = 6;
inline constexpr int kRowStep = 6;
#endif
// Depth of a block of k: a panel and the rows of a should fit the first-level cache together.
inline constexpr int64_t kDepth = 256;
inline constexpr int64_t kColumns = 512; // columns of b that are packed together

template <class T>
struct PackedGemm {
  using V = Lanes<T>;
  static constexpr int L = kLanes<T>;
  static constexpr int64_t kPanel = 2 * L;

  // All panels of b. Rows of whole panels are read as they lie in memory.
  static void pack(const Gemm& g, const T* b, int64_t depth, int64_t cols, T* to) {
    const int64_t whole = g.b_col == 1 ? cols / kPanel * kPanel : 0;
    for (int64_t k = 0; k < depth && whole > 0; ++k) {
      const T* from = b + k * g.b_row;
      T* row = to + k * kPanel;
      for (int64_t j = 0; j < whole; j += kPanel, from += kPanel, row += depth * kPanel) {
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
    for (int64_t j = 0; j < cols; j += L) {
      for (int64_t k = 0; k < depth; k += L) {
        copy_block_transposed(
            b + j * g.b_col + k, g.b_col, std::min<int64_t>(L, cols - j),
            std::min<int64_t>(L, depth - k), to + k * kPanel + j, kPanel);
      }
    }
  }

  // `rows` rows of a, each kDepth apart, padded with zeros to a multiple of kRowStep rows.
  static void pack_rows(const Gemm& g, const T* a, int64_t rows, int64_t depth, T* to) {
    for (int64_t r = rows; r % kRowStep != 0; ++r) {
      std::fill_n(to + r * kDepth, depth, T(0));
    }
    if (g.a_col == 1) {
      for (int64_t r = 0; r < rows; ++r) {
        std::copy_n(a + r * g.a_row, depth, to + r * kDepth);
      }
      return;
    }
    for (int64_t k = 0; k < depth; k += L) {
      for (int64_t r = 0; r < rows; r += L) {
        copy_block_transposed(
            a + k * g.a_col + r, g.a_col, std::min<int64_t>(L, depth - k),
            std::min<int64_t>(L, rows - r), to + r * kDepth + k, kDepth);
      }
    }
  }

  static void finish(V sum, T* c, int64_t cols, T alpha, T beta) {
    if (cols <= 0) {
      return;
    }
    V result = sum * alpha;
    if (beta != 0) {
      result = at::vec::fma(load_up_to<T>(c, cols, T(0)), splat<T>(beta), result);
    }
    save_up_to<T, T>(c, result, cols);
  }

  // `kRegisters` registers of columns; the last panel may need only one.
  template <int kRows, int kRegisters>
  static void multiply(
      const T* a, const T* b, int64_t depth, T* c, int64_t c_row, int64_t rows, int64_t cols,
      T alpha, T beta) {
    V sum[kRows][kRegisters] = {};
    for (int64_t k = 0; k < depth; ++k) {
      V from[kRegisters];
#pragma GCC unroll 2
      for (int j = 0; j < kRegisters; ++j) {
        from[j] = load_lanes<T>(b + k * kPanel + j * L);
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const V x = splat<T>(a[r * kDepth + k]);
#pragma GCC unroll 2
        for (int j = 0; j < kRegisters; ++j) {
          sum[r][j] = at::vec::fma(x, from[j], sum[r][j]);
        }
      }
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

  template <int kRegisters>
  static void multiply_rows(
      const T* a, const T* b, int64_t depth, T* c, int64_t c_row, int64_t rows, int64_t cols,
      T alpha, T beta) {
    if (rows > 2 * kRowStep) {
      return multiply<kPanelRows, kRegisters>(a, b, depth, c, c_row, rows, cols, alpha, beta);
    }
    if (rows > kRowStep) {
      return multiply<std::min(2 * kRowStep, kPanelRows), kRegisters>(
          a, b, depth, c, c_row, rows, cols, alpha, beta);
    }
    multiply<kRowStep, kRegisters>(a, b, depth, c, c_row, rows, cols, alpha, beta);
  }

  // Computes columns [first, first + cols) of c, over one block of k.
  static void block(
      const Gemm& g, int64_t k, int64_t depth, int64_t first, int64_t cols, T* packed, T alpha,
      T beta) {
    const T* a = static_cast<const T*>(g.a) + k * g.a_col;
    const T* b = static_cast<const T*>(g.b) + k * g.b_row + first * g.b_col;
    T* c = static_cast<T*>(g.c) + first;
    pack(g, b, depth, cols, packed);
    alignas(64) T rows_of_a[kPanelRows * kDepth];
    for (int64_t i = 0; i < g.m; i += kPanelRows) {
      const int64_t rows = std::min<int64_t>(kPanelRows, g.m - i);
      pack_rows(g, a + i * g.a_row, rows, depth, rows_of_a);
      for (int64_t j = 0; j < cols; j += kPanel) {
        const auto run = cols - j > L ? &multiply_rows<2> : &multiply_rows<1>;
        run(rows_of_a, packed + j * depth, depth, c + i * g.c_row + j, g.c_row, rows,
            std::min(kPanel, cols - j), alpha, beta);
      }
    }
  }

  static void run(const Gemm& g, T alpha, T beta) {
    const int64_t widest = std::min(kColumns, (g.n + kPanel - 1) / kPanel * kPanel);
    const c10::DataPtr packed = c10::GetCPUAllocator()->allocate(
        static_cast<size_t>(widest * std::min(kDepth, g.k)) * sizeof(T));
    for (int64_t first = 0; first < g.n; first += kColumns) {
      const int64_t cols = std::min(kColumns, g.n - first);
      for (int64_t k = 0; k < g.k; k += kDepth) {
        block(
            g, k, std::min(kDepth, g.k - k), first, cols, static_cast<T*>(packed.get()), alpha,
            k == 0 ? beta : T(1));
      }
    }
  }
};

void run(c10::ScalarType dtype, const Gemm& job, double alpha, double beta) {
  if (dtype == c10::ScalarType::Float) {
    PackedGemm<float>::run(job, static_cast<float>(alpha), static_cast<float>(beta));
  } else {
    PackedGemm<double>::run(job, alpha, beta);
  }
}

#if defined(CPU_CAPABILITY_AVX512)

// Measured against OpenBLAS: packing is faster from these sizes on. A transposed a is packed anew
// for each block of columns, which takes many columns to pay.
bool packed_gemm(c10::ScalarType dtype, const Gemm& job, double alpha, double beta) {
  const int64_t least = job.b_col == 1 ? 1'000'001 : 24 * 24 * 24;
  const bool pays = job.m * job.n * job.k >= least && std::min(job.m, job.n) >= 8 &&
      (job.a_col == 1 || (job.a_row == 1 && job.n >= 128));
  if (pays) {
    run(dtype, job, alpha, beta);
  }
  return pays;
}

#else

bool packed_gemm(c10::ScalarType, const Gemm&, double, double) {
  return false;
}

#endif

} // namespace

REGISTER_DISPATCH(packed_gemm_stub, &packed_gemm)
REGISTER_DISPATCH(built_in_gemm_stub, &run)

} // namespace at::native
