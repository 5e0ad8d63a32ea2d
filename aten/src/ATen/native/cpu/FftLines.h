#pragma once

#include <ATen/native/cpu/FftRegisters.h>

#include <algorithm>

// Lines of tensors, moved from and to the rows that passes transform.

namespace at::native {
inline namespace CPU_CAPABILITY {

// A line of complex numbers.
template <typename T>
struct FftLine {
  T* base;
  int64_t step, im;
  int64_t ahead = 0;        // the distance to the line that will be read next
  const T* later = nullptr; // memory that will be written after this line, if not the line itself
  bool in_rows = false;     // whether registers of real and of imaginary parts alternate
  const T* roots = nullptr; // if this is a spectrum of real numbers that is joined on its way

  bool dense() const { return step == 2 && im == 1; }
};

// Up to a register's lanes of lines of complex numbers: number j of a line has its parts at
// base[offset + j step] and base[offset + j step + im].
template <typename T>
struct FftLines {
  // How registers can move numbers, if at all.
  enum class Moves {
    Singly,
    AdjacentLines,    // complex lines, in both halves of the lanes
    AdjacentPlanes,   // real lines
    InterleavedParts, // along a line
    SeparateParts     // along a line
  };

  T* base;
  int64_t step, im;
  int64_t offset[kLanes<T>];
  int count;
  Moves moves = Moves::Singly;

  // To be called when all else is set.
  void settle() {
    constexpr int L = kLanes<T>;
    for (int l = count; l < L; ++l) { // the lanes that are left repeat lines
      offset[l] = offset[l % count];
    }
    const auto apart = [&](int64_t distance, int piece) {
      for (int l = 1; l < L; ++l) {
        if (l % piece != 0 && offset[l] - offset[l - 1] != distance) {
          return false;
        }
      }
      return count % piece == 0;
    };
    if (im == 1 && apart(2, L / 2)) {
      moves = Moves::AdjacentLines;
    } else if (apart(1, L)) {
      moves = Moves::AdjacentPlanes;
    } else if (step == 2 && im == 1) {
      moves = Moves::InterleavedParts;
    } else if (step == 1) {
      moves = Moves::SeparateParts;
    }
  }
  FftAdjacentLines<T> adjacent(bool exchange, T scale = 1) const {
    constexpr int L = kLanes<T>;
    return {base + offset[0], base + offset[L / 2], step, exchange, scale, 2 * L};
  }
};

// Lines at equal distances from the first.
template <typename T>
FftLines<T> regular_lines(const FftLine<T>& line, int64_t apart) {
  constexpr int L = kLanes<T>;
  FftLines<T> lines{line.base, line.step, line.im, {}, L};
  for (int l = 0; l < L; ++l) {
    lines.offset[l] = l * apart;
  }
  lines.settle();
  return lines;
}

// Calls block(j) so that blocks of `size` cover `count` numbers; the last may overlap the one
// before it. Returns how many numbers are covered.
template <typename Block>
C10_ALWAYS_INLINE int64_t cover(int64_t count, int64_t size, const Block& block) {
  if (count < size) {
    return 0;
  }
  for (int64_t j = 0; j < count; j += size) {
    block(std::min(j, count - size));
  }
  return count;
}

template <typename T>
void load_rows(const FftLines<T>& lines, int64_t count, bool exchange, FftRows<T> rows) {
  using Moves = typename FftLines<T>::Moves;
  constexpr int L = kLanes<T>;
  T* const re = rows.start + (exchange ? L : 0);
  T* const im = rows.start + (exchange ? 0 : L);
  constexpr int64_t kStep = FftRows<T>::kStep;
  // Number j + k of all lines, for all k within a register.
  const auto square = [&](int64_t j, Lanes<T>(&v)[L]) {
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l) {
      v[l] = load_lanes<T>(lines.base + lines.offset[l] + j);
    }
    transpose_registers<T>(v);
  };
  int64_t j = 0;
  if (lines.moves == Moves::AdjacentLines) {
    const auto source = lines.adjacent(exchange);
    for (; j < count; ++j) {
      rows.store(j, source.load(j));
    }
  } else if (lines.moves == Moves::AdjacentPlanes) {
    for (; j < count; ++j) {
      const T* from = lines.base + lines.offset[0] + j * lines.step;
      rows.store(
          j,
          exchanged_if(exchange, FftValue<T>{load_lanes<T>(from), load_lanes<T>(from + lines.im)}));
    }
  } else if (lines.moves == Moves::InterleavedParts) {
    j = cover(count, L / 2, [&](int64_t first) {
      Lanes<T> v[L];
      square(2 * first, v);
#pragma GCC unroll 16
      for (int k = 0; k < L / 2; ++k) {
        store_lanes<T>(re + (first + k) * kStep, v[2 * k]);
        store_lanes<T>(im + (first + k) * kStep, v[2 * k + 1]);
      }
    });
  } else if (lines.moves == Moves::SeparateParts) {
    j = cover(count, L, [&](int64_t first) {
      for (int part = 0; part < (lines.im == 0 ? 1 : 2); ++part) {
        T* const to = part == 0 ? re : im;
        Lanes<T> v[L];
        square(first + part * lines.im, v);
#pragma GCC unroll 16
        for (int k = 0; k < L; ++k) {
          store_lanes<T>(to + (first + k) * kStep, v[k]);
        }
      }
    });
  }
  for (; j < count; ++j) {
    for (int l = 0; l < L; ++l) {
      const T* from = lines.base + lines.offset[l] + j * lines.step;
      re[j * kStep + l] = from[0];
      im[j * kStep + l] = from[lines.im];
    }
  }
}

template <typename T>
void store_rows(FftRows<T> rows, int64_t count, bool exchange, T scale, const FftLines<T>& lines) {
  using Moves = typename FftLines<T>::Moves;
  constexpr int L = kLanes<T>;
  const T* const re = rows.start + (exchange ? L : 0);
  const T* const im = rows.start + (exchange ? 0 : L);
  constexpr int64_t kStep = FftRows<T>::kStep;
  const auto square = [&](int64_t j, Lanes<T>(&v)[L]) {
    transpose_registers<T>(v);
    if (lines.count == L) {
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) {
        store_lanes<T>(lines.base + lines.offset[l] + j, v[l]);
      }
    } else {
      for (int l = 0; l < lines.count; ++l) {
        store_lanes<T>(lines.base + lines.offset[l] + j, v[l]);
      }
    }
  };
  int64_t j = 0;
  if (lines.moves == Moves::AdjacentLines) {
    const auto target = lines.adjacent(exchange, scale);
    for (; j < count; ++j) {
      target.store(j, rows.load(j));
    }
  } else if (lines.moves == Moves::AdjacentPlanes) {
    for (; j < count; ++j) {
      T* to = lines.base + lines.offset[0] + j * lines.step;
      store_lanes<T>(to + lines.im, load_lanes<T>(im + j * kStep) * scale);
      store_lanes<T>(to, load_lanes<T>(re + j * kStep) * scale);
    }
  } else if (lines.moves == Moves::InterleavedParts) {
    j = cover(count, L / 2, [&](int64_t first) {
      Lanes<T> v[L];
#pragma GCC unroll 16
      for (int k = 0; k < L / 2; ++k) {
        v[2 * k] = load_lanes<T>(re + (first + k) * kStep) * scale;
        v[2 * k + 1] = load_lanes<T>(im + (first + k) * kStep) * scale;
      }
      square(2 * first, v);
    });
  } else if (lines.moves == Moves::SeparateParts) {
    j = cover(count, L, [&](int64_t first) {
      for (int part = 0; part < (lines.im == 0 ? 1 : 2); ++part) {
        const T* const from = part == 0 ? re : im;
        Lanes<T> v[L];
#pragma GCC unroll 16
        for (int k = 0; k < L; ++k) {
          v[k] = load_lanes<T>(from + (first + k) * kStep) * scale;
        }
        square(first + part * lines.im, v);
      }
    });
  }
  for (; j < count; ++j) {
    for (int l = 0; l < lines.count; ++l) {
      T* to = lines.base + lines.offset[l] + j * lines.step;
      to[lines.im] = im[j * kStep + l] * scale;
      to[0] = re[j * kStep + l] * scale;
    }
  }
}

// Lane l of rows first + k becomes lane k of row to_first + l, for all lanes.
template <typename T>
void transpose_rows(FftRows<T> rows, int64_t first, FftRows<T> to, int64_t to_first) {
  constexpr int L = kLanes<T>;
  constexpr int64_t kStep = FftRows<T>::kStep;
  for (const int part : {0, L}) {
    Lanes<T> v[L];
#pragma GCC unroll 16
    for (int k = 0; k < L; ++k) {
      v[k] = load_lanes<T>(rows.start + (first + k) * kStep + part);
    }
    transpose_registers<T>(v);
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l) {
      store_lanes<T>(to.start + (to_first + l) * kStep + part, v[l]);
    }
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
