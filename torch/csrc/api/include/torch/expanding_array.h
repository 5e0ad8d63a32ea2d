#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace torch {

// D numbers, given as a list or as one number for all: the size of a kernel, a stride.
template <size_t D, typename T = int64_t>
class ExpandingArray {
 public:
  ExpandingArray(T value) { values_.fill(value); } // NOLINT(google-explicit-constructor)
  ExpandingArray(std::initializer_list<T> list)    // NOLINT(google-explicit-constructor)
      : ExpandingArray(c10::ArrayRef<T>(list)) {}
  ExpandingArray(c10::ArrayRef<T> list) { // NOLINT(google-explicit-constructor)
    TORCH_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    std::copy(list.begin(), list.end(), values_.begin());
  }
  operator c10::ArrayRef<T>() const { return values_; } // NOLINT(google-explicit-constructor)
  const T& operator[](size_t index) const { return values_[index]; }
  size_t size() const { return D; }

 private:
  std::array<T, D> values_;
};

} // namespace torch
