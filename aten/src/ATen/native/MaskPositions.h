#pragma once

#include <ATen/Parallel.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace at::native {

// Counts the bools that are true: eight at a time, since each byte is 0 or 1.
inline int64_t count_true(const bool* mask, int64_t count) {
  int64_t total = 0;
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, mask + i, sizeof(word));
    total += static_cast<int64_t>((word * 0x0101010101010101ULL) >> 56);
  }
  for (; i < count; ++i) {
    total += mask[i] ? 1 : 0;
  }
  return total;
}

// A row-major mask split into parts for the threads, with the number of true elements before each
// part, which is where the part's results start.
class MaskParts {
 public:
  MaskParts(const bool* mask, int64_t count)
      : mask_(mask),
        count_(count),
        size_(std::max<int64_t>(at::internal::GRAIN_SIZE, 1)),
        starts_((count + size_ - 1) / size_ + 1, 0) {
    for_parts([this](int64_t part, int64_t begin, int64_t end) {
      starts_[part + 1] = count_true(mask_ + begin, end - begin);
    });
    for (size_t part = 1; part < starts_.size(); ++part) {
      starts_[part] += starts_[part - 1];
    }
  }

  int64_t total() const { return starts_.back(); }

  // Calls f(begin, end, first, last): elements [begin, end) of the mask produce results [first,
  // last).
  template <typename F>
  void for_each(F&& f) const {
    for_parts([&](int64_t part, int64_t begin, int64_t end) {
      if (starts_[part] != starts_[part + 1]) {
        f(begin, end, starts_[part], starts_[part + 1]);
      }
    });
  }

 private:
  template <typename F>
  void for_parts(F&& f) const {
    const auto parts = static_cast<int64_t>(starts_.size()) - 1;
    at::parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        f(part, part * size_, std::min(count_, (part + 1) * size_));
      }
    });
  }

  const bool* mask_;
  int64_t count_;
  int64_t size_;
  c10::SmallVector<int64_t, 8> starts_;
};

} // namespace at::native
