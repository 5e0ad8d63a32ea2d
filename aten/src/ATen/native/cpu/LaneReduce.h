#pragma once

// The flat kernels of ReduceDriver.h for an operator that folds lanes. An operator provides
//   in_t, lane_t, acc_t; kBlock: elements to fold in lanes before adding them to the carry;
//   identity() and carry_identity(); step(a, x): folds the element x into a; merge(a, b) of two
//   lanes' results (both on scalars and on vectors); fold(acc, lane) and combine(acc, acc).
// Sums stay accurate because a lane folds few elements before it is added to the wider carry.

#include <ATen/native/ReduceDriver.h>
#include <ATen/native/cpu/FoldHalves.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <class Op>
struct LaneReduce {
  using In = typename Op::in_t;
  using Lane = typename Op::lane_t;
  using Acc = typename Op::acc_t;
  using V = Lanes<Lane>;
  static constexpr int L = kLanes<Lane>;
  static constexpr int64_t kRowsPerFlush = 128;
  static constexpr int64_t kWidth = kReduceChunk;

  static void init(void* acc, int64_t count) {
    std::fill_n(static_cast<Acc*>(acc), count, Op::carry_identity());
  }

  static void combine(void* acc, const void* other, int64_t count) {
    Acc* a = static_cast<Acc*>(acc);
    const Acc* b = static_cast<const Acc*>(other);
    for (int64_t i = 0; i < count; ++i) {
      a[i] = Op::combine(a[i], b[i]);
    }
  }

  // Folds `n` elements, a multiple of 4 L, into `lane` if they are certainly free of NaNs: then
  // their sums are no NaN either.
  static bool run_quickly(Lane& lane, const In* p, int64_t n) {
    V a = load_lanes<Lane>(p), b = load_lanes<Lane>(p + L);
    V c = load_lanes<Lane>(p + 2 * L), d = load_lanes<Lane>(p + 3 * L);
    V sum_a = a, sum_b = b, sum_c = c, sum_d = d;
    for (int64_t i = 4 * L; i < n; i += 4 * L) {
      const V w = load_lanes<Lane>(p + i), x = load_lanes<Lane>(p + i + L);
      const V y = load_lanes<Lane>(p + i + 2 * L), z = load_lanes<Lane>(p + i + 3 * L);
      a = Op::quick(a, w), b = Op::quick(b, x), c = Op::quick(c, y), d = Op::quick(d, z);
      sum_a += w, sum_b += x, sum_c += y, sum_d += z;
    }
    const V sum = (sum_a + sum_b) + (sum_c + sum_d);
    if (at::vec::any_lane(sum != sum)) {
      return false;
    }
    const V all = Op::quick(Op::quick(a, b), Op::quick(c, d));
    lane = fold_halves<Lane, L>(all, []<class T>(T x, T y) -> T { return Op::quick(x, y); });
    return true;
  }

  static Acc run(Acc acc, const In* p, int64_t n) {
    while (n >= L) {
      const int64_t block = std::min<int64_t>(n, Op::kBlock);
      if constexpr (requires(V v) { Op::quick(v, v); }) {
        Lane lane;
        const int64_t whole = block - block % (4 * L);
        if (whole > 0 && run_quickly(lane, p, whole)) {
          acc = Op::fold(acc, lane);
          p += whole;
          n -= whole;
          continue;
        }
      }
      const V id = splat<Lane>(Op::identity());
      V a = id;
      int64_t i = 0;
      if (block >= 4 * L) {
        V b = id, c = id, d = id;
        for (; i + 4 * L <= block; i += 4 * L) {
          a = Op::step(a, load_lanes<Lane>(p + i));
          b = Op::step(b, load_lanes<Lane>(p + i + L));
          c = Op::step(c, load_lanes<Lane>(p + i + 2 * L));
          d = Op::step(d, load_lanes<Lane>(p + i + 3 * L));
        }
        a = Op::merge(Op::merge(a, b), Op::merge(c, d));
      }
      for (; i + L <= block; i += L) {
        a = Op::step(a, load_lanes<Lane>(p + i));
      }
      acc = Op::fold(
          acc, fold_halves<Lane, L>(a, []<class T>(T x, T y) -> T { return Op::merge(x, y); }));
      p += i;
      n -= i;
    }
    if (n > 0) {
      Lane a = Op::identity();
      for (int64_t i = 0; i < n; ++i) {
        a = Op::step(a, to_lane<Lane>(p[i]));
      }
      acc = Op::fold(acc, a);
    }
    return acc;
  }

  static Acc run_strided(Acc acc, const In* p, int64_t n, int64_t step) {
    while (n > 0) {
      const int64_t block = std::min<int64_t>(n, 256);
      Lane a = Op::identity(), b = Op::identity();
      int64_t i = 0;
      for (; i + 2 <= block; i += 2) {
        a = Op::step(a, to_lane<Lane>(p[i * step]));
        b = Op::step(b, to_lane<Lane>(p[(i + 1) * step]));
      }
      if (i < block) {
        a = Op::step(a, to_lane<Lane>(p[i * step]));
      }
      acc = Op::fold(acc, Op::merge(a, b));
      p += block * step;
      n -= block;
    }
    return acc;
  }

  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step, int64_t,
      double) {
    Acc* a = static_cast<Acc*>(acc);
    const In* p = static_cast<const In*>(in);
    for (int64_t c = 0; c < count; ++c, p += out_step) {
      a[c] = step == 1 ? run(a[c], p, n) : run_strided(a[c], p, n, step);
    }
  }

  // Folds `rows` rows into `width` lanes, four rows per pass over the lanes.
  static void columns(Lane* lanes, const In* p, int64_t width, int64_t rows, int64_t row_step) {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, p += 4 * row_step) {
      int64_t c = 0;
      for (; c + L <= width; c += L) {
        V a = load_lanes<Lane>(lanes + c);
        a = Op::step(a, load_lanes<Lane>(p + c));
        a = Op::step(a, load_lanes<Lane>(p + row_step + c));
        a = Op::step(a, load_lanes<Lane>(p + 2 * row_step + c));
        a = Op::step(a, load_lanes<Lane>(p + 3 * row_step + c));
        store_lanes<Lane>(lanes + c, a);
      }
      for (; c < width; ++c) {
        for (int64_t k = 0; k < 4; ++k) {
          lanes[c] = Op::step(lanes[c], to_lane<Lane>(p[k * row_step + c]));
        }
      }
    }
    for (; r < rows; ++r, p += row_step) {
      int64_t c = 0;
      for (; c + L <= width; c += L) {
        store_lanes<Lane>(
            lanes + c, Op::step(load_lanes<Lane>(lanes + c), load_lanes<Lane>(p + c)));
      }
      for (; c < width; ++c) {
        lanes[c] = Op::step(lanes[c], to_lane<Lane>(p[c]));
      }
    }
  }

  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t, double) {
    Acc* a = static_cast<Acc*>(acc);
    const In* p = static_cast<const In*>(in);
    alignas(64) Lane lanes[kWidth];
    // Adjacent short rows are folded as one long row, with lanes that wrap around the columns.
    const bool wrap = row_step == count && count * 4 <= kWidth;
    while (rows > 0) {
      const int64_t group = wrap ? std::min(rows, kWidth / count) : 1;
      const int64_t width = count * group;
      const int64_t block = std::min(rows / group, kRowsPerFlush);
      std::fill_n(lanes, width, Op::identity());
      columns(lanes, p, width, block, row_step * group);
      for (int64_t g = 0; g < width; g += count) {
        for (int64_t c = 0; c < count; ++c) {
          a[c] = Op::fold(a[c], lanes[g + c]);
        }
      }
      p += block * group * row_step;
      rows -= block * group;
    }
  }

  static constexpr ReduceKernel kernel{sizeof(Acc), sizeof(In), &init, &inner, &outer, &combine};
};

} // namespace CPU_CAPABILITY
} // namespace at::native
