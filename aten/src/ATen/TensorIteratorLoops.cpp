// Calls loops: serially or in parallel, row by row, over transposed tiles.

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/TensorIteratorInternal.h>

#include <algorithm>
#include <cstring>

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

} // namespace

void TensorIteratorBase::for_each_row(loop1d_t loop, int64_t grain_size) {
  if (ndim() < 2 || operands_.size() > kMaxTiled || shape_[0] < 8 || shape_[1] < 8) {
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
