#pragma once

#include <c10/macros/Macros.h>

#include <array>
#include <cstdint>

namespace at {

// The Mersenne Twister MT19937 of Matsumoto and Nishimura ("Mersenne Twister: a 623-dimensionally
// equidistributed uniform pseudo-random number generator", ACM TOMACS 8(1), 1998). Each draw gives
// 32 bits.
struct mt19937_data {
  static constexpr int kStateSize = 624;

  uint64_t seed_ = 0;
  int left_ = 1;
  bool seeded_ = false;
  uint32_t next_ = 0;
  std::array<uint32_t, kStateSize> state_{};
};

class mt19937 {
 public:
  explicit mt19937(uint64_t seed = 5489) { init_with_uint32(seed); }

  const mt19937_data& data() const { return data_; }
  void set_data(const mt19937_data& data) { data_ = data; }
  uint64_t seed() const { return data_.seed_; }

  bool is_valid() const {
    return data_.seeded_ && data_.left_ > 0 && data_.left_ <= kSize &&
        data_.next_ <= static_cast<uint32_t>(kSize);
  }

  uint32_t operator()() {
    if (--data_.left_ == 0) {
      next_state();
    }
    uint32_t y = data_.state_[data_.next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >> 18);
  }

  // Writes the next `count` draws to `out`, in less time than that many calls take.
  TORCH_API void draw(uint32_t* out, int64_t count);

 private:
  static constexpr int kSize = mt19937_data::kStateSize;

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

  TORCH_API void next_state();

  mt19937_data data_;
};

} // namespace at
