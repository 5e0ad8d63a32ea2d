#pragma once

#include <ATen/core/Range.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <algorithm>

namespace at::internal {

// Walks a sub-range of a multi-dimensional iteration in pieces of at most two dimensions.
struct DimCounter {
  DimCounter(IntArrayRef shape, Range range) : shape(shape), range(range), offset(range.begin) {
    values.resize(shape.size(), 0);
    int64_t linear = range.begin;
    for (size_t dim = 0; linear > 0 && dim < shape.size(); ++dim) {
      const int64_t size = shape[dim];
      if (size > 0) {
        values[dim] = linear % size;
        linear /= size;
      }
    }
  }

  bool is_done() const { return offset >= range.end; }

  struct Step {
    int64_t size0;
    int64_t size1;
  };

  Step max_2d_step() const {
    const int64_t size0 = std::min(shape[0] - values[0], range.end - offset);
    int64_t size1 = 1;
    if (size0 == shape[0] && shape.size() > 1) {
      size1 = std::min(shape[1] - values[1], (range.end - offset) / shape[0]);
    }
    return {size0, size1};
  }

  void increment(Step step) {
    offset += step.size0 * step.size1;
    int64_t carry = step.size0;
    size_t dim = 0;
    if (step.size1 != 1) {
      carry = step.size1;
      dim = 1;
    }
    for (; carry > 0 && dim < shape.size(); ++dim) {
      const int64_t size = shape[dim];
      int64_t value = values[dim] + carry;
      if (value >= size) {
        value -= size;
        carry = 1;
      } else {
        carry = 0;
      }
      values[dim] = value;
    }
  }

  IntArrayRef shape;
  Range range;
  int64_t offset;
  c10::SmallVector<int64_t, 8> values;
};

// strides holds one byte stride per operand for each dimension in turn.
inline void get_data_ptrs(
    char** ptrs, ArrayRef<char*> base, IntArrayRef strides, ArrayRef<int64_t> counter) {
  const size_t ntensors = base.size();
  std::copy(base.begin(), base.end(), ptrs);
  for (size_t dim = 0; dim < counter.size(); ++dim) {
    const int64_t value = counter[dim];
    if (value != 0) {
      for (size_t arg = 0; arg < ntensors; ++arg) {
        ptrs[arg] += value * strides[dim * ntensors + arg];
      }
    }
  }
}

// `strides` must cover at least two dimensions.
template <typename Loop2d>
void serial_for_each(
    IntArrayRef shape, IntArrayRef strides, char** base_ptrs, size_t ntensors, Loop2d&& loop,
    Range range) {
  if (range.size() <= 0) {
    return;
  }
  if (shape.size() <= 1) {
    c10::SmallVector<char*, 4> ptrs(base_ptrs, base_ptrs + ntensors);
    for (size_t arg = 0; arg < ntensors; ++arg) {
      ptrs[arg] += range.begin * strides[arg];
    }
    loop(ptrs.data(), strides.data(), range.size(), 1);
    return;
  }
  c10::SmallVector<char*, 4> ptrs(ntensors);
  DimCounter counter(shape, range);
  while (!counter.is_done()) {
    get_data_ptrs(ptrs.data(), {base_ptrs, ntensors}, strides, counter.values);
    const auto step = counter.max_2d_step();
    loop(ptrs.data(), strides.data(), step.size0, step.size1);
    counter.increment(step);
  }
}

} // namespace at::internal
