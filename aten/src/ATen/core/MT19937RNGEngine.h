#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace at {

// The Mersenne Twister MT19937 of Matsumoto and Nishimura ("Mersenne Twister: a 623-dimensionally
// equidistributed uniform pseudo-random number generator", ACM TOMACS 8(1), 1998). Each draw gives
// 32 bits.
struct mt19937_data {
  static constexpr int kStateSize = 624;

  uint64_t seed_ = 0;
  int left_ = 1; // numbers of this state that are left, plus one
  bool seeded_ = false;
  uint32_t next_ = 0; // position of the next number in the state
  std::array<uint32_t, kStateSize> state_{};
};

class mt19937 {
 public:
  explicit mt19937(uint64_t seed = 5489) { init_with_uint32(seed); }

  const mt19937_data& data() const { return data_; }
  void set_data(const mt19937_data& data) {
    data_ = data;
    temper_state();
  }
  uint64_t seed() const { return data_.seed_; }

  bool is_valid() const {
    return data_.seeded_ && data_.left_ > 0 && data_.left_ <= kSize &&
        data_.next_ <= static_cast<uint32_t>(kSize + 1 - data_.left_);
  }

  uint32_t operator()() {
    if (data_.left_ == 1) {
      next_state();
    }
    --data_.left_;
    return numbers_[data_.next_++];
  }

  // The next numbers, as many as this state has, but at least one; skip() draws them.
  std::span<const uint32_t> upcoming() {
    if (data_.left_ == 1) {
      next_state();
    }
    return {&numbers_[data_.next_], static_cast<size_t>(data_.left_ - 1)};
  }

  void skip(size_t count) {
    data_.left_ -= static_cast<int>(count);
    data_.next_ += static_cast<uint32_t>(count);
  }

 private:
  static constexpr int kSize = mt19937_data::kStateSize;
  static constexpr int kShift = 397;

  void init_with_uint32(uint64_t seed) {
    data_.seed_ = seed;
    data_.seeded_ = true;
    data_.state_[0] = static_cast<uint32_t>(seed);
    for (uint32_t j = 1; j < kSize; ++j) {
      const uint32_t last = data_.state_[j - 1];
      data_.state_[j] = 1812433253U * (last ^ (last >> 30)) + j;
    }
    data_.left_ = 1;
    data_.next_ = 0;
  }

  static uint32_t twist(uint32_t u, uint32_t v) {
    const uint32_t mixed = (u & 0x80000000U) | (v & 0x7fffffffU);
    return (mixed >> 1) ^ (v & 1 ? 0x9908b0dfU : 0);
  }

  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >> 18);
  }

  // The loops have lengths that compilers can divide into vectors without a remainder.
  void next_state() {
    constexpr int wrap = kSize - kShift, whole = wrap / 16 * 16;
    auto& s = data_.state_;
    for (int i = 0; i < whole; ++i) {
      s[i] = s[i + kShift] ^ twist(s[i], s[i + 1]);
    }
    for (int i = whole; i < wrap; ++i) {
      s[i] = s[i + kShift] ^ twist(s[i], s[i + 1]);
    }
    for (int i = wrap; i < kSize - 1; ++i) {
      s[i] = s[i - wrap] ^ twist(s[i], s[i + 1]);
    }
    s[kSize - 1] = s[kShift - 1] ^ twist(s[kSize - 1], s[0]);
    data_.left_ = kSize + 1;
    data_.next_ = 0;
    temper_state();
  }

  void temper_state() {
    for (int i = 0; i < kSize; ++i) {
      numbers_[i] = temper(data_.state_[i]);
    }
  }

  mt19937_data data_;
  std::array<uint32_t, mt19937_data::kStateSize> numbers_{}; // the state, tempered
};

} // namespace at
