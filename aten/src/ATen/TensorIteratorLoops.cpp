// Calls loops: serially or in parallel, row by row, over transposed tiles.

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/TensorIteratorInternal.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace at {

using PtrVector = TensorIteratorBase::PtrVector;

namespace {

// Adapts a 1d loop to a 2d one by stepping through the outer dimension.
struct RowByRow {
  TensorIteratorBase::loop1d_t loop;
  size_t ntensors;

  void operator()(char** base, const int64_t* strides, int64_t size0, int64_t size1) const {
    if (size1 == 1) {
      loop(base, strides, size0);
      return;
    }
    // The loop may change the pointers it is given. They are computed, since a few of them would be
    // copied by a call of memcpy.
    PtrVector row(ntensors);
    for (int64_t i = 0; i < size1; ++i) {
      for (size_t arg = 0; arg < ntensors; ++arg) {
        row[arg] = base[arg] + i * strides[ntensors + arg];
      }
      loop(row.data(), strides, size0);
    }
  }
};

constexpr int64_t kFewRows = 8; // which are run one by one
constexpr int64_t kTileRows = 16;
constexpr int64_t kTileRowBytes = 1024;
constexpr size_t kMaxTiled = 4;

// Transposes a 4x4 block of words. Unless the loops are unrolled, the words pass through memory.
void transpose_words(char* target, const char* source, int64_t column_stride) {
  typedef uint32_t Words __attribute__((vector_size(16)));
  Words c[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    std::memcpy(&c[i], source + i * column_stride, sizeof(Words));
  }
  const Words low = __builtin_shufflevector(c[0], c[1], 0, 4, 1, 5);
  const Words high = __builtin_shufflevector(c[0], c[1], 2, 6, 3, 7);
  const Words low2 = __builtin_shufflevector(c[2], c[3], 0, 4, 1, 5);
  const Words high2 = __builtin_shufflevector(c[2], c[3], 2, 6, 3, 7);
  const Words rows[4] = {
      __builtin_shufflevector(low, low2, 0, 1, 4, 5),
      __builtin_shufflevector(low, low2, 2, 3, 6, 7),
      __builtin_shufflevector(high, high2, 0, 1, 4, 5),
      __builtin_shufflevector(high, high2, 2, 3, 6, 7)};
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    std::memcpy(target + i * kTileRowBytes, &rows[i], sizeof(Words));
  }
}

template <typename T>
void transpose_tile(
    char* target, const char* source, int64_t column_stride, int64_t columns, int64_t rows) {
  int64_t column = 0;
  if constexpr (sizeof(T) == 4) {
    for (; rows == kTileRows && column + 4 <= columns; column += 4) {
      for (int64_t row = 0; row < kTileRows; row += 4) {
        transpose_words(
            target + row * kTileRowBytes + column * 4, source + column * column_stride + row * 4,
            column_stride);
      }
    }
  }
  for (; column < columns; ++column) {
    const char* from = source + column * column_stride;
    if (rows == kTileRows) {
      for (int64_t row = 0; row < kTileRows; ++row) {
        std::memcpy(
            target + row * kTileRowBytes + column * sizeof(T), from + row * sizeof(T), sizeof(T));
      }
    } else {
      for (int64_t row = 0; row < rows; ++row) {
        std::memcpy(
            target + row * kTileRowBytes + column * sizeof(T), from + row * sizeof(T), sizeof(T));
      }
    }
  }
}

using TransposeTile = void (*)(char*, const char*, int64_t, int64_t, int64_t);

TransposeTile transpose_of_width(int64_t width) {
  switch (width) {
    case 1:
      return &transpose_tile<uint8_t>;
    case 2:
      return &transpose_tile<uint16_t>;
    case 4:
      return &transpose_tile<uint32_t>;
    default:
      return &transpose_tile<uint64_t>;
  }
}

// Runs the loop row by row over tiles, with the inputs that need it transposed into a buffer.
struct TiledRows {
  TensorIteratorBase::loop1d_t loop;
  size_t ntensors;
  int64_t tile_columns;
  int64_t widths[kMaxTiled]; // element sizes of the operands to transpose, 0 for the others

  void operator()(char** base, const int64_t* strides, int64_t size0, int64_t size1) const {
    const int64_t* outer = strides + ntensors;
    for (int64_t row = 0; row < size1; row += kTileRows) {
      const int64_t rows = std::min(kTileRows, size1 - row);
      for (int64_t column = 0; column < size0; column += tile_columns) {
        char* corners[kMaxTiled];
        for (size_t arg = 0; arg < ntensors; ++arg) {
          corners[arg] = base[arg] + row * outer[arg] + column * strides[arg];
        }
        run_tile(corners, strides, rows, std::min(tile_columns, size0 - column));
      }
    }
  }

  void run_tile(char** corners, const int64_t* strides, int64_t rows, int64_t columns) const {
    alignas(64) char buffer[kMaxTiled][kTileRows * kTileRowBytes];
    int64_t steps[kMaxTiled];
    int64_t row_steps[kMaxTiled];
    for (size_t arg = 0; arg < ntensors; ++arg) {
      steps[arg] = strides[arg];
      row_steps[arg] = strides[ntensors + arg];
      if (widths[arg] != 0) {
        transpose_of_width(widths[arg])(buffer[arg], corners[arg], strides[arg], columns, rows);
        corners[arg] = buffer[arg];
        steps[arg] = widths[arg];
        row_steps[arg] = kTileRowBytes;
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      char* row_ptrs[kMaxTiled];
      for (size_t arg = 0; arg < ntensors; ++arg) {
        row_ptrs[arg] = corners[arg] + i * row_steps[arg];
      }
      loop(row_ptrs, steps, columns);
    }
  }
};

// How an operand continues from one short row to the next.
enum class RowOrder {
  kAdjacent,  // the next row follows
  kConstant,  // all elements are the same
  kRepeated,  // all rows are the same
  kStretched, // all elements of a row are the same
};

constexpr int64_t kWords = 16; // bytes that are stored at once

// Writes each element `count` times, and up to kWords bytes beyond the end.
template <typename T>
void repeat_elements(char* to, const char* from, int64_t from_stride, int64_t count, int64_t rows) {
  typedef T Words __attribute__((vector_size(kWords)));
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  for (int64_t row = 0; row < rows; ++row, to += bytes) {
    T value;
    std::memcpy(&value, from + row * from_stride, sizeof(T));
    const Words words = value - Words{};
    for (int64_t i = 0; i < bytes; i += kWords) {
      std::memcpy(to + i, &words, kWords);
    }
  }
}

// Runs the loop over many short rows at once, with the inputs that repeat rows or elements copied
// into a buffer.
struct ShortRows {
  // Elements of the longest row, and of the longest whose elements repeat.
  static constexpr int64_t kMaxRow = 256, kMaxStretched = 32;
  static constexpr int64_t kBufferBytes = 4096;

  TensorIteratorBase::loop1d_t loop;
  size_t ntensors, noutputs;
  int64_t row_size, rows_together;
  int64_t widths[kMaxTiled];
  RowOrder orders[kMaxTiled];

  // Whether the loop writes no element that it reads again from a buffer.
  bool are_apart(char** base, const int64_t* strides, int64_t rows) const {
    const auto end = [&](size_t arg) {
      return base[arg] + (row_size - 1) * strides[arg] + (rows - 1) * strides[ntensors + arg] +
          widths[arg];
    };
    for (size_t arg = noutputs; arg < ntensors; ++arg) {
      for (size_t out = 0; orders[arg] != RowOrder::kAdjacent && out < noutputs; ++out) {
        if (base[arg] < end(out) && base[out] < end(arg)) {
          return false;
        }
      }
    }
    return true;
  }

  void stretch(size_t arg, char* to, const char* from, int64_t stride, int64_t rows) const {
    switch (widths[arg]) {
      case 1:
        return repeat_elements<uint8_t>(to, from, stride, row_size, rows);
      case 2:
        return repeat_elements<uint16_t>(to, from, stride, row_size, rows);
      case 4:
        return repeat_elements<uint32_t>(to, from, stride, row_size, rows);
      default:
        return repeat_elements<uint64_t>(to, from, stride, row_size, rows);
    }
  }

  void operator()(char** base, const int64_t* strides, int64_t size0, int64_t size1) const {
    if (size0 != row_size || size1 == 1 || !are_apart(base, strides, size1)) {
      RowByRow{loop, ntensors}(base, strides, size0, size1);
      return;
    }
    alignas(64) char buffer[kMaxTiled][kBufferBytes + 64];
    const int64_t most = std::min(rows_together, size1);
    int64_t steps[kMaxTiled];
    for (size_t arg = 0; arg < ntensors; ++arg) {
      steps[arg] = orders[arg] == RowOrder::kConstant ? 0 : widths[arg];
      if (orders[arg] == RowOrder::kRepeated) {
        const int64_t bytes = size0 * widths[arg];
        for (int64_t row = 0; row < most; ++row) {
          std::memcpy(buffer[arg] + row * bytes, base[arg], bytes);
        }
      }
    }
    for (int64_t row = 0; row < size1; row += most) {
      const int64_t rows = std::min(most, size1 - row);
      char* data[kMaxTiled];
      for (size_t arg = 0; arg < ntensors; ++arg) {
        const int64_t stride = strides[ntensors + arg];
        data[arg] = orders[arg] == RowOrder::kRepeated ? buffer[arg] : base[arg] + row * stride;
        if (orders[arg] == RowOrder::kStretched) {
          stretch(arg, buffer[arg], data[arg], stride, rows);
          data[arg] = buffer[arg];
        }
      }
      loop(data, steps, rows * size0);
    }
  }
};

// Joins short rows, if all operands allow it.
std::optional<ShortRows> short_rows(
    const TensorIteratorBase& iter, const TensorIteratorBase::loop1d_t& loop) {
  const auto ntensors = static_cast<size_t>(iter.ntensors());
  const int64_t size = iter.shape()[0];
  if (size > ShortRows::kMaxRow) {
    return std::nullopt;
  }
  ShortRows rows{loop, ntensors, static_cast<size_t>(iter.noutputs()), size, 0, {}, {}};
  int64_t widest = 1;
  for (size_t arg = 0; arg < ntensors; ++arg) {
    const auto i = static_cast<int64_t>(arg);
    const int64_t width = iter.element_size(i);
    const int64_t inner = iter.strides(i)[0], outer = iter.strides(i)[1];
    const bool is_output = arg < rows.noutputs;
    rows.widths[arg] = width;
    widest = std::max(widest, width);
    if (inner == width && outer == size * width) {
      rows.orders[arg] = RowOrder::kAdjacent;
    } else if (inner == 0 && outer == 0 && !is_output) {
      rows.orders[arg] = RowOrder::kConstant;
    } else if (inner == width && outer == 0 && !is_output) {
      rows.orders[arg] = RowOrder::kRepeated;
    } else if (
        inner == 0 && outer > 0 && width <= 8 && size <= ShortRows::kMaxStretched && !is_output) {
      rows.orders[arg] = RowOrder::kStretched;
    } else {
      return std::nullopt;
    }
  }
  rows.rows_together = ShortRows::kBufferBytes / (size * widest);
  return rows.rows_together > 1 ? std::optional(rows) : std::nullopt;
}

} // namespace

void TensorIteratorBase::for_each_row(loop1d_t loop, int64_t grain_size) {
  if (ndim() < 2 || operands_.size() > kMaxTiled || shape_[1] < kFewRows) {
    for_each_1d(loop, grain_size);
    return;
  }
  if (const auto rows = short_rows(*this, loop)) {
    for_each_2d(*rows, grain_size);
    return;
  }
  if (shape_[0] < kFewRows) {
    for_each_1d(loop, grain_size);
    return;
  }
  TiledRows tiled{loop, operands_.size(), kTileRowBytes, {}};
  bool any = false;
  for (size_t arg = num_outputs_; arg < operands_.size(); ++arg) {
    const auto& op = operands_[arg];
    const auto width = static_cast<int64_t>(c10::elementSize(op.current_dtype));
    const bool transposed = width <= 8 && op.stride_bytes[1] == width &&
        op.stride_bytes[0] != width && op.stride_bytes[0] != 0;
    tiled.widths[arg] = transposed ? width : 0;
    if (transposed) {
      tiled.tile_columns = std::min(tiled.tile_columns, kTileRowBytes / width);
    }
    any = any || transposed;
  }
  if (any) {
    for_each_2d(tiled, grain_size);
  } else {
    for_each_1d(loop, grain_size);
  }
}

void TensorIteratorBase::serial_for_each_2d(loop2d_t loop, Range range) const {
  if (range.size() == 0) {
    return;
  }
  auto ptrs = get_base_ptrs();
  const auto strides = get_strides();
  internal::serial_for_each(shape_, strides, ptrs.data(), ptrs.size(), loop, range);
}

void TensorIteratorBase::serial_for_each_1d(loop1d_t loop, Range range) const {
  if (range.size() == 0) {
    return;
  }
  if (ndim() <= 1) {
    auto ptrs = get_base_ptrs();
    const auto strides = get_inner_strides();
    if (range.begin != 0) {
      for (size_t arg = 0; arg < ptrs.size(); ++arg) {
        ptrs[arg] += range.begin * strides[arg];
      }
    }
    loop(ptrs.data(), strides.data(), range.size());
    return;
  }
  serial_for_each_2d(RowByRow{loop, operands_.size()}, range);
}

void TensorIteratorBase::for_each_1d(loop1d_t loop, int64_t grain_size) {
  const int64_t numel = this->numel();
  if (numel < grain_size || at::get_num_threads() == 1 || at::in_parallel_region()) {
    serial_for_each_1d(loop, {0, numel});
    return;
  }
  at::parallel_for(0, numel, grain_size, [&](int64_t begin, int64_t end) {
    serial_for_each_1d(loop, {begin, end});
  });
}

void TensorIteratorBase::for_each_2d(loop2d_t loop, int64_t grain_size) {
  const int64_t numel = this->numel();
  if (numel < grain_size || at::get_num_threads() == 1 || at::in_parallel_region()) {
    serial_for_each_2d(loop, {0, numel});
    return;
  }
  at::parallel_for(0, numel, grain_size, [&](int64_t begin, int64_t end) {
    serial_for_each_2d(loop, {begin, end});
  });
}

} // namespace at
