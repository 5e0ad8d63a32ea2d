#pragma once

#include <ATen/Parallel.h>
#include <ATen/native/cpu/FftHalves.h>
#include <ATen/native/cpu/FftLines.h>
#include <ATen/native/cpu/FftPasses.h>
#include <ATen/native/cpu/FftRows.h>
#include <ATen/native/cpu/Room.h>

#include <algorithm>
#include <vector>

// Transforms of a long line, which is divided into columns that fill a register's lanes.

namespace at::native {
inline namespace CPU_CAPABILITY {

// Buffers for one thread: two of rows, and the rest for divided lines.
template <typename T>
class Workspace {
 public:
  explicit Workspace(int64_t rows, int64_t rest = 0) : memory_(2 * size(rows) + rest) {
    T* start = memory_.get();
    a = {start};
    b = {start + size(rows)};
    middle = start + 2 * size(rows);
  }

  FftRows<T> other(FftRows<T> rows) const { return rows.start == a.start ? b : a; }

  FftRows<T> a, b;
  T* middle;

 private:
  // Buffers that begin at the same offset of a page would evict each other from the cache.
  static int64_t size(int64_t rows) {
    return rows * FftRows<T>::kStep + 5 * 64 / static_cast<int64_t>(sizeof(T));
  }

  Room<T> memory_;
};

// The first of every `apart` numbers form a line; a register takes those that begin at `first`.
template <typename T>
FftLines<T> columns_of(const FftLine<T>& line, int64_t first, int64_t apart) {
  constexpr int L = kLanes<T>;
  FftLines<T> lines{line.base, line.step * apart, line.im, {}, L};
  for (int l = 0; l < L; ++l) {
    lines.offset[l] = (first + l) * line.step;
  }
  lines.settle();
  return lines;
}
// The same for a line whose numbers lie next to each other.
template <typename T>
FftAdjacentLines<T> dense_columns_of(
    const FftLine<T>& line, int64_t first, int64_t apart, bool exchange, T scale) {
  T* const low = line.base + 2 * first;
  return {low, low + kLanes<T>, 2 * apart, exchange, scale, line.ahead};
}

// Between the two steps of a long transform, its numbers form blocks: as many columns as a register
// has lanes, row by row. The last block may overlap the one before it.
template <typename T>
int64_t middle_size(const FftPlan<T>& plan) {
  return at::divup(plan.columns->length, kLanes<T>) * plan.rows->length * FftRows<T>::kStep;
}

// Rows of such a block, turned. The memory of the results is requested on the way.
template <typename T>
struct TurnedRows {
  FftRows<T> rows;
  const T* turns;      // as rows
  const T *low, *high; // where the two halves of the first row will be written
  int64_t target_step;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t j) const {
    __builtin_prefetch(low + j * target_step, 1, 2);
    __builtin_prefetch(high + j * target_step, 1, 2);
    const T* const turn = turns + j * FftRows<T>::kStep;
    return times<T>(rows.load(j), load_lanes<T>(turn), load_lanes<T>(turn + kLanes<T>));
  }
};

// Whether registers hold a whole column.
template <typename T>
bool turns_whole(const FftPlan<T>& column_plan) {
  return kManyRegisters && column_plan.length == 16;
}

// Whether the columns of a spectrum are joined as they are loaded: each number on its own, which
// costs more than the buffer between costs, while that is small.
template <typename T>
bool joins_columns(const FftPlan<T>& plan) {
  constexpr int64_t kSmall = 4096 / static_cast<int64_t>(sizeof(T));
  return plan.length >= kSmall && plan.columns && turns_whole(*plan.columns);
}

// Columns of the complex numbers that have the real numbers of a spectrum as parts, joined as they
// are loaded. The parts are exchanged, for the inverse.
template <typename T>
struct FftJoinedColumns {
  T *spectrum, *roots;
  int64_t half, first, apart, ahead;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t row) const {
    const int64_t k = first + row * apart, mirror = half - k - (kLanes<T> - 1);
    const FftLine<T> numbers{spectrum, 2, 1}, turns{roots, 2, 1};
    const T* const next = spectrum + 2 * k + ahead;
    __builtin_prefetch(next, 0, 2);
    __builtin_prefetch(next + kLanes<T>, 0, 2);
    auto a = load_numbers<T, false>(numbers, k), b = load_numbers<T, true>(numbers, mirror);
    if (k == 0) { // these two are real
      a.im[0] = b.im[0] = T(0);
    }
    const FftValue<T> root = load_numbers<T, false>(turns, k);
    const FftValue<T> z = joined_halves<T>(a, b, root.re, root.im).first;
    return {z.im, z.re};
  }
};

// Transforms columns of 16 numbers, and transposes them before they leave the registers. They
// become rows from `first` on of blocks of `block_rows` rows.
template <typename T, class Source>
void run_whole_transposed(
    const FftPlan<T>& plan, const Source& source, FftRows<T> blocks, int64_t block_rows,
    int64_t first) {
  if constexpr (kManyRegisters) {
    constexpr int L = kLanes<T>, kPoints = 16;
    FftValue<T> v[kPoints];
    load_whole<T, kPoints>(plan, source, v);
#pragma GCC unroll 2
    for (int begin = 0; begin < kPoints; begin += L) {
      FftValue<T> square[L];
#pragma GCC unroll 16
      for (int k = 0; k < L; ++k) {
        square[k] = v[begin + k];
      }
      transpose_squares<T, L>(square);
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) {
        blocks.store(begin / L * block_rows + first + l, square[l]);
      }
    }
  }
}

// With j = rows j1 + j2 and k = k1 + columns k2, the transform over j1 is turned by w^(j2 k1) and
// transformed over j2; `middle` holds the numbers between.
template <typename T>
void transform_long(
    const FftPlan<T>& plan, const FftLine<T>& in, const FftLine<T>& out, const Workspace<T>& own,
    T* middle, bool inverse, T scale, bool parallel) {
  constexpr int64_t L = kLanes<T>;
  const FftPlan<T>&column_plan = *plan.columns, &row_plan = *plan.rows;
  const int64_t columns = column_plan.length, rows = row_plan.length;
  const auto blocks = [&](int64_t count, const auto& run) {
    const auto range = [&](const Workspace<T>& space, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        run(space, i, std::min(i * L, count - L));
      }
    };
    const int64_t whole = at::divup(count, L);
    if (parallel) {
      at::parallel_for(
          0, whole, 1, [&](int64_t begin, int64_t end) { range(Workspace<T>(rows), begin, end); });
    } else {
      range(own, 0, whole);
    }
  };
  const int64_t block_size = rows * FftRows<T>::kStep;
  const auto block_of = [&](int64_t i) { return FftRows<T>{middle + i * block_size}; };
  blocks(rows, [&](const Workspace<T>& space, int64_t, int64_t first) {
    FftRows<T> z = space.a;
    if (in.dense()) {
      const auto from = dense_columns_of(in, first, rows, inverse, T(1));
      if (turns_whole(column_plan)) {
        if constexpr (kManyRegisters) {
          if (in.roots != nullptr) {
            const FftJoinedColumns<T> joined{
                in.base, const_cast<T*>(in.roots), plan.length, first, rows, in.ahead}; // only read
            run_whole_transposed(column_plan, joined, FftRows<T>{middle}, rows, first);
            return;
          }
        }
        run_whole_transposed(column_plan, from, FftRows<T>{middle}, rows, first);
        return;
      }
      z = run_passes(column_plan, column_plan.passes.size(), from, space.a, space.b);
    } else {
      load_rows(columns_of(in, first, rows), columns, inverse, space.a);
      z = transform_rows(column_plan, space.a, space.b);
    }
    for (int64_t i = 0; i * L < columns; ++i) {
      transpose_rows(z, std::min(i * L, columns - L), block_of(i), first);
    }
  });
  blocks(columns, [&](const Workspace<T>& space, int64_t i, int64_t first) {
    const T* const target = (out.later != nullptr ? out.later : out.base) + first * out.step;
    const TurnedRows<T> from{
        block_of(i), plan.between.data() + i * block_size, target, target + L, columns * out.step};
    if constexpr (kManyRegisters) {
      if (out.in_rows) { // forward and without a scale
        const FftSpacedRows<T> to{{out.base + 2 * first}, columns / L};
        run_passes(row_plan, from, to, space.a, space.b);
        return;
      }
    }
    if (out.dense()) {
      const auto to = dense_columns_of(out, first, columns, inverse, scale);
      run_passes(row_plan, from, to, space.a, space.b);
    } else {
      const auto z = run_passes(row_plan, row_plan.passes.size(), from, space.a, space.b);
      store_rows(z, rows, inverse, scale, columns_of(out, first, columns));
    }
  });
}

// How many lines a register takes eight columns of.
template <typename T>
constexpr int64_t kEighthLines = kLanes<T> / 8;

// Transforms as many lines, of which each has its own eight lanes, so that no lanes are left unused
// when a line has too few columns for a register. The last columns may overlap those before them.
template <typename T>
void transform_eighths(
    const FftPlan<T>& plan, FftAdjacentLines<T> in, FftAdjacentLines<T> out,
    const Workspace<T>& space) {
  if constexpr (kManyRegisters) {
    const int64_t rows = plan.eighths->length;
    in.step = 2 * rows;
    out.step = 16;
    for (int64_t j = 0; j < rows; j += 8) {
      const int64_t first = std::min(j, rows - 8);
      FftAdjacentLines<T> from = in;
      from.low += 2 * first;
      from.high += 2 * first;
      FftValue<T> v[8];
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) {
        v[k] = from.load(k);
      }
      butterfly<T, 8>(v, 8, nullptr);
      transpose_squares<T, 8>(v);
#pragma GCC unroll 8
      for (int l = 0; l < 8; ++l) {
        space.b.store(first + l, v[l]);
      }
    }
    const TurnedRows<T> turned{space.b, plan.eighth_turns.data(), out.low, out.high, out.step};
    run_passes(*plan.eighths, turned, out, space.a, space.b);
  }
}

template <typename T>
bool is_long(const FftPlan<T>& plan) {
  return plan.columns != nullptr || (plan.inner && plan.inner->columns);
}

// The same for lengths with a large prime factor: their convolution has a long transform.
template <typename T>
void transform_long_chirped(
    const FftPlan<T>& plan, const FftLine<T>& in, const FftLine<T>& out, const Workspace<T>& own,
    T* middle, bool inverse, T scale, bool parallel) {
  const FftPlan<T>& inner = *plan.inner;
  std::vector<T> x(static_cast<size_t>(2 * inner.length));
  const T sign = inverse ? T(-1) : T(1);
  for (int64_t j = 0; j < plan.length; ++j) {
    const T re = in.base[j * in.step], im = sign * in.base[j * in.step + in.im];
    const T c = plan.chirp[static_cast<size_t>(2 * j)];
    const T s = plan.chirp[static_cast<size_t>(2 * j + 1)];
    x[static_cast<size_t>(2 * j)] = re * c - im * s;
    x[static_cast<size_t>(2 * j + 1)] = re * s + im * c;
  }
  const FftLine<T> line{x.data(), 2, 1};
  transform_long(inner, line, line, own, middle, false, T(1), parallel);
  for (size_t j = 0; j < x.size(); j += 2) {
    const T re = x[j], im = x[j + 1];
    x[j] = re * plan.spectrum[j] - im * plan.spectrum[j + 1];
    x[j + 1] = re * plan.spectrum[j + 1] + im * plan.spectrum[j];
  }
  transform_long(inner, line, line, own, middle, true, T(1), parallel);
  for (int64_t j = 0; j < plan.length; ++j) {
    const T re = x[static_cast<size_t>(2 * j)], im = x[static_cast<size_t>(2 * j + 1)];
    const T c = plan.chirp[static_cast<size_t>(2 * j)];
    const T s = plan.chirp[static_cast<size_t>(2 * j + 1)];
    out.base[j * out.step] = scale * (re * c - im * s);
    out.base[j * out.step + out.im] = sign * scale * (re * s + im * c);
  }
}

template <typename T>
void transform_line(
    const FftPlan<T>& plan, const FftLine<T>& in, const FftLine<T>& out, const Workspace<T>& own,
    T* middle, bool inverse, T scale, bool parallel) {
  const auto transform = plan.columns ? transform_long<T> : transform_long_chirped<T>;
  transform(plan, in, out, own, middle, inverse, scale, parallel);
}

} // namespace CPU_CAPABILITY
} // namespace at::native
