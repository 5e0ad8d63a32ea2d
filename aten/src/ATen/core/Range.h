#pragma once

#include <cstdint>

namespace at {

// A half-open interval of linear element indices.
struct Range {
  Range(int64_t begin, int64_t end) : begin(begin), end(end) {}
  int64_t size() const { return end - begin; }
  Range operator/(int64_t divisor) const { return Range(begin / divisor, end / divisor); }

  int64_t begin;
  int64_t end;
};

} // namespace at
