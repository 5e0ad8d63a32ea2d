#pragma once

#include <cstdint>

namespace c10 {

// Each function returns true when the exact result does not fit.
inline bool add_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return __builtin_add_overflow(a, b, out);
}
inline bool mul_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return __builtin_mul_overflow(a, b, out);
}
inline bool mul_overflows(int64_t a, int64_t b, int64_t* out) {
  return __builtin_mul_overflow(a, b, out);
}
template <typename It>
bool safe_multiplies_u64(It first, It last, uint64_t* out) {
  uint64_t total = 1;
  bool overflow = false;
  for (; first != last; ++first) {
    overflow |= mul_overflows(total, static_cast<uint64_t>(*first), &total);
  }
  *out = total;
  return overflow;
}
template <typename C>
bool safe_multiplies_u64(const C& container, uint64_t* out) {
  return safe_multiplies_u64(container.begin(), container.end(), out);
}

} // namespace c10
