#pragma once

#include <cstdint>

namespace c10 {

template <typename C>
int64_t sum_integers(const C& container) {
  int64_t total = 0;
  for (auto value : container) {
    total += static_cast<int64_t>(value);
  }
  return total;
}
template <typename C>
int64_t multiply_integers(const C& container) {
  int64_t total = 1;
  for (auto value : container) {
    total *= static_cast<int64_t>(value);
  }
  return total;
}
template <typename It>
int64_t multiply_integers(It first, It last) {
  int64_t total = 1;
  for (; first != last; ++first) {
    total *= static_cast<int64_t>(*first);
  }
  return total;
}
template <typename C>
int64_t size_to_dim_(int64_t dim, const C& sizes) {
  return multiply_integers(sizes.begin(), sizes.begin() + dim);
}
template <typename C>
int64_t size_from_dim_(int64_t dim, const C& sizes) {
  return multiply_integers(sizes.begin() + dim, sizes.end());
}

} // namespace c10
