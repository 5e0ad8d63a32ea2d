#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace torch::lazy {

// 128 bits, from two mixes of 64 with different constants, so that graphs are told apart by their
// hash alone.
class Hash {
 public:
  // The hash of some values, in order.
  template <typename... Values>
  static Hash of(const Values&... values) {
    Hash hash;
    (hash.add(values), ...);
    return hash;
  }

  void add(const Hash& other) {
    mix(other.low_);
    mix(other.high_);
  }
  void add(double value) { mix(std::bit_cast<uint64_t>(value)); }
  void add(std::string_view text) {
    mix(text.size());
    for (const char character : text)
      mix(static_cast<uint64_t>(character));
  }
  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void add(T value) {
    mix(static_cast<uint64_t>(value));
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    mix(value.has_value());
    if (value) add(*value);
  }
  template <typename T>
  void add(const std::vector<T>& values) {
    mix(values.size());
    for (const T& value : values)
      add(value);
  }
  template <size_t N>
  void add(const std::array<bool, N>& values) {
    for (const bool value : values)
      mix(value);
  }

  bool operator==(const Hash&) const = default;
  uint64_t low() const { return low_; }
  uint64_t high() const { return high_; }

 private:
  // The finalizer of SplitMix64.
  static uint64_t scramble(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }
  void mix(uint64_t word) {
    low_ = scramble(low_ + word + 0x9e3779b97f4a7c15);
    high_ = scramble((high_ ^ word) * 0xd6e8feb86659fd93 + 0xa0761d6478bd642f);
  }

  uint64_t low_ = 0x243f6a8885a308d3;
  uint64_t high_ = 0x13198a2e03707344;
};

} // namespace torch::lazy

template <>
struct std::hash<torch::lazy::Hash> {
  size_t operator()(const torch::lazy::Hash& hash) const noexcept { return hash.low(); }
};
