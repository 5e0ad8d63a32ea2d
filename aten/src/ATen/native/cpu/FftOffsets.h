#pragma once

#include <ATen/native/FftPlan.h>

#include <cstdint>

// Where the lines of a transform along one axis begin.

namespace at::native {
inline namespace CPU_CAPABILITY {

inline int64_t count_of(const FftDims& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    count *= size;
  }
  return count;
}

// The offsets of lines, in the order in which they lie in memory.
class LineOffsets {
 public:
  LineOffsets(const FftAxis& axis, int64_t line)
      : axis_(axis), last_(axis.sizes.size() - 1), places_(axis.sizes.size()) {
    for (size_t d = places_.size(); d-- > 0;) {
      places_[d] = line % axis.sizes[d];
      line /= axis.sizes[d];
      in_ += places_[d] * axis.in_strides[d];
      out_ += places_[d] * axis.out_strides[d];
    }
  }

  int64_t in() const { return in_; }
  int64_t out() const { return out_; }

  // How many lines, from this one on, have the distances of the innermost axis.
  int64_t run() const { return places_.empty() ? 1 : axis_.sizes[last_] - places_[last_]; }
  int64_t in_apart() const { return places_.empty() ? 0 : axis_.in_strides[last_]; }
  int64_t out_apart() const { return places_.empty() ? 0 : axis_.out_strides[last_]; }

  // Skips lines of this run; after its last line comes the next run.
  void advance(int64_t count = 1) {
    if (places_.empty()) {
      return;
    }
    move(last_, count);
    for (size_t d = last_; places_[d] == axis_.sizes[d]; --d) {
      move(d, -axis_.sizes[d]);
      if (d == 0) {
        return;
      }
      move(d - 1, 1);
    }
  }

 private:
  void move(size_t d, int64_t count) {
    places_[d] += count;
    in_ += count * axis_.in_strides[d];
    out_ += count * axis_.out_strides[d];
  }

  const FftAxis& axis_;
  int64_t in_ = 0, out_ = 0;
  size_t last_;
  FftDims places_;
};

} // namespace CPU_CAPABILITY
} // namespace at::native
