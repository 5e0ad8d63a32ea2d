#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/DimVector.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/ScalarBytes.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace at::native {

// How an index outside [0, bound) is treated.
enum class OutOfBounds : uint8_t {
  Wrap,   // negative ones count from the end; others raise IndexError (advanced indexing)
  Gather, // raises a RuntimeError that names index, dimension and size (gather, scatter)
  Select, // raises IndexError (index_select, index_add)
};

// The loop behind gather, scatter, index, index_put, index_select and index_add. Every position of
// the iteration space has an element of a `plain` tensor, an index, and the element of an `indexed`
// tensor that the index selects. Dimensions along which only the index selects the element have a
// stride of zero in `indexed`.
struct TORCH_API IndexedLoop {
  DimVector sizes;
  DimVector plain_strides;   // bytes
  DimVector index_strides;   // elements
  DimVector indexed_strides; // bytes
  char* plain = nullptr;
  const int64_t* index = nullptr;
  char* indexed = nullptr;
  int64_t step = 0;    // byte stride of the index in `indexed`
  int64_t bound = 0;   // exclusive upper bound of the indices
  int64_t dim = 0;     // the dimension named in errors
  bool number = false; // `plain` is a single element in host memory, whatever the device
  OutOfBounds policy = OutOfBounds::Gather;

  void add_dim(int64_t size, int64_t plain_stride, int64_t index_stride, int64_t indexed_stride) {
    sizes.push_back(size);
    plain_strides.push_back(plain_stride);
    index_strides.push_back(index_stride);
    indexed_strides.push_back(indexed_stride);
  }
  int64_t numel() const {
    int64_t result = 1;
    for (const int64_t size : sizes) {
      result *= size;
    }
    return result;
  }

  // Drops dimensions of size one, merges neighbors that continue each other, and visits elements
  // that lie close together one after another.
  void coalesce();

  // Swaps a dimension and the next one.
  void swap_with_next(size_t dim);

  // Whether the next dimension only moves on in memory, by longer steps than the index does.
  bool belongs_inside_next(size_t dim) const {
    return index_strides[dim] != 0 && indexed_strides[dim] == 0 && index_strides[dim + 1] == 0 &&
        indexed_strides[dim + 1] > step && plain_strides[dim + 1] >= plain_strides[dim];
  }

  // The dimension to split between threads; -1 if there is none. Writes through the index can be
  // split only along dimensions that keep the elements of `indexed` distinct.
  int64_t split_dim(bool writes_indexed) const;

  // Whether the index selects many whole rows of `indexed`, too short to be split along `dim`.
  bool selects_short_rows(int64_t dim, int64_t itemsize) const {
    return dim == 1 && sizes.size() == 2 && indexed_strides[0] == 0 && index_strides[1] == 0 &&
        sizes[0] >= 64 && sizes[1] * itemsize <= 1 << 15;
  }

  int64_t resolve(int64_t position) const {
    return static_cast<uint64_t>(position) < static_cast<uint64_t>(bound)
        ? position
        : resolve_outside(position);
  }
  int64_t resolve_outside(int64_t position) const;
};

// plain = indexed
template <typename T>
struct TakeElements {
  static constexpr bool writes_indexed = false;
  void element(T& plain, const T& indexed) const { plain = indexed; }
  void row(T* plain, const T* indexed, int64_t count) const {
    std::memcpy(plain, indexed, count * sizeof(T));
  }
};

// indexed = plain
template <typename T>
struct PutElements {
  static constexpr bool writes_indexed = true;
  void element(const T& plain, T& indexed) const { indexed = plain; }
  void row(const T* plain, T* indexed, int64_t count) const {
    std::memmove(indexed, plain, count * sizeof(T));
  }
  void fill(const T& number, T* indexed, int64_t count) const {
    ScalarBytes value;
    std::memcpy(value.data, &number, sizeof(T));
    fill_elements(indexed, count, value, sizeof(T));
  }
};

template <typename T, typename Action>
void run_row(
    const IndexedLoop& loop, char* plain, const int64_t* index, char* indexed,
    const Action& action) {
  const size_t last = loop.sizes.size() - 1;
  const int64_t count = loop.sizes[last];
  const int64_t plain_stride = loop.plain_strides[last];
  const int64_t index_stride = loop.index_strides[last];
  const int64_t indexed_stride = loop.indexed_strides[last];
  constexpr auto itemsize = static_cast<int64_t>(sizeof(T));
  const auto at = [](char* base, int64_t offset) -> T& {
    return *reinterpret_cast<T*>(base + offset);
  };
  if (index_stride == 0) {
    char* base = indexed + loop.resolve(*index) * loop.step;
    if (plain_stride == itemsize && indexed_stride == itemsize) {
      action.row(reinterpret_cast<T*>(plain), reinterpret_cast<T*>(base), count);
      return;
    }
    if constexpr (requires { &Action::fill; }) {
      if (plain_stride == 0 && indexed_stride == itemsize) {
        action.fill(at(plain, 0), &at(base, 0), count);
        return;
      }
    }
    for (int64_t j = 0; j < count; ++j) {
      action.element(at(plain, j * plain_stride), at(base, j * indexed_stride));
    }
  } else if (index_stride == 1 && plain_stride == itemsize && indexed_stride == 0) {
    const auto bound = static_cast<uint64_t>(loop.bound);
    const auto run = [&](auto step) {
      for (int64_t j = 0; j < count; ++j) {
        int64_t position = index[j];
        if (C10_UNLIKELY(static_cast<uint64_t>(position) >= bound)) {
          position = loop.resolve_outside(position);
        }
        action.element(at(plain, j * itemsize), at(indexed, position * step));
      }
    };
    if (loop.step == itemsize) {
      run(std::integral_constant<int64_t, itemsize>());
    } else {
      run(loop.step);
    }
  } else {
    for (int64_t j = 0; j < count; ++j) {
      const int64_t position = loop.resolve(index[j * index_stride]);
      action.element(
          at(plain, j * plain_stride), at(indexed, position * loop.step + j * indexed_stride));
    }
  }
}

// Visits every position of `loop`, row by row.
template <typename T, typename Action>
void run_serial(const IndexedLoop& loop, const Action& action) {
  const auto outer = static_cast<int64_t>(loop.sizes.size()) - 1;
  DimVector counter(outer, 0);
  char* plain = loop.plain;
  const int64_t* index = loop.index;
  char* indexed = loop.indexed;
  while (true) {
    run_row<T>(loop, plain, index, indexed, action);
    int64_t dim = outer - 1;
    for (; dim >= 0; --dim) {
      plain += loop.plain_strides[dim];
      index += loop.index_strides[dim];
      indexed += loop.indexed_strides[dim];
      if (++counter[dim] < loop.sizes[dim]) {
        break;
      }
      counter[dim] = 0;
      plain -= loop.plain_strides[dim] * loop.sizes[dim];
      index -= loop.index_strides[dim] * loop.sizes[dim];
      indexed -= loop.indexed_strides[dim] * loop.sizes[dim];
    }
    if (dim < 0) {
      return;
    }
  }
}

// Each thread visits all rows and handles those that the index puts in its part of `indexed`, so
// that the updates of a row keep their order. Threads that share rows instead take each other's
// cache lines, which costs several times what the second thread saves.
template <typename T, typename Action>
void put_rows_in_parallel(const IndexedLoop& loop, int64_t total, const Action& action) {
  const int64_t tasks = std::max<int64_t>(1, total / (4 * at::internal::GRAIN_SIZE));
  at::parallel_for(0, loop.bound, at::divup(loop.bound, tasks), [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < loop.sizes[0]; ++i) {
      const int64_t* index = loop.index + i * loop.index_strides[0];
      const int64_t position = loop.resolve(*index);
      if (begin <= position && position < end) {
        run_row<T>(loop, loop.plain + i * loop.plain_strides[0], index, loop.indexed, action);
      }
    }
  });
}

// `ordered`: updates of the same indexed element keep their order (sums are reproducible, the last
// write wins).
template <typename T, typename Action>
void run_indexed(IndexedLoop& loop, const Action& action, bool ordered = true) {
  const int64_t total = loop.numel();
  if (total == 0) {
    return;
  }
  loop.coalesce();
  const int64_t split =
      total <= at::internal::GRAIN_SIZE ? -1 : loop.split_dim(Action::writes_indexed && ordered);
  if (split < 0) {
    run_serial<T>(loop, action);
    return;
  }
  const int64_t length = loop.sizes[split];
  if (Action::writes_indexed && loop.selects_short_rows(split, sizeof(T))) {
    return put_rows_in_parallel<T>(loop, total, action);
  }
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (total / length));
  at::parallel_for(0, length, grain, [&](int64_t begin, int64_t end) {
    IndexedLoop part = loop;
    part.sizes[split] = end - begin;
    part.plain += begin * loop.plain_strides[split];
    part.index += begin * loop.index_strides[split];
    part.indexed += begin * loop.indexed_strides[split];
    run_serial<T>(part, action);
  });
}

// What becomes of an element, `add` with a factor.
enum class IndexedAction : uint8_t { Take, Put, Add, Multiply, Maximum, Minimum };

// Runs the loop over memory that the host cannot read. Take and Put only move bytes. Returns false
// for a dtype that the action does not support.
using indexed_fn = bool (*)(
    IndexedLoop& loop, IndexedAction action, c10::ScalarType dtype, const c10::Scalar& factor);
DECLARE_DISPATCH(indexed_fn, indexed_stub);

// plain = indexed, and indexed = plain, over the whole loop.
TORCH_API void take_indexed(c10::DeviceType device, IndexedLoop& loop, c10::ScalarType dtype);
TORCH_API void put_indexed(c10::DeviceType device, IndexedLoop& loop, c10::ScalarType dtype);

} // namespace at::native
