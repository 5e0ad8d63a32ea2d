#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>

namespace at {

// Philox4x32-10: ten rounds of a keyed bijection of 128-bit counters, by J. Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Each counter yields four words, so any
// thread can start anywhere in a stream without computing what comes before.
struct PhiloxBlock {
  uint32_t words[4];
};

struct PhiloxKey {
  uint32_t words[2];
};

namespace detail {

C10_HOST_DEVICE inline uint32_t high_product(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
}

} // namespace detail

C10_HOST_DEVICE inline PhiloxBlock philox4x32_10(PhiloxBlock counter, PhiloxKey key) {
  constexpr uint32_t kFirst = 0xD2511F53, kSecond = 0xCD9E8D57;
  constexpr uint32_t kStep[2] = {0x9E3779B9, 0xBB67AE85}; // golden ratio, square root of 3 less 1
  for (int round = 0; round < 10; ++round) {
    const uint32_t* c = counter.words;
    counter = {
        {detail::high_product(kSecond, c[2]) ^ c[1] ^ key.words[0], kSecond * c[2],
         detail::high_product(kFirst, c[0]) ^ c[3] ^ key.words[1], kFirst * c[0]}};
    key = {{key.words[0] + kStep[0], key.words[1] + kStep[1]}};
  }
  return counter;
}

// The stream of one thread: the seed is the key, the thread's number the upper half of the counter,
// and the offset, counted in words, the lower.
class Philox4_32 {
 public:
  C10_HOST_DEVICE inline explicit Philox4_32(
      uint64_t seed = 67280421310721, uint64_t subsequence = 0, uint64_t offset = 0)
      : key_{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}},
        subsequence_(subsequence),
        block_(offset / 4),
        next_(static_cast<uint32_t>(offset % 4)) {}

  // The four words of the next counter that nothing was taken from.
  C10_HOST_DEVICE inline PhiloxBlock next_block() {
    const PhiloxBlock counter = {
        {static_cast<uint32_t>(block_), static_cast<uint32_t>(block_ >> 32),
         static_cast<uint32_t>(subsequence_), static_cast<uint32_t>(subsequence_ >> 32)}};
    ++block_;
    return philox4x32_10(counter, key_);
  }

  C10_HOST_DEVICE inline uint32_t operator()() {
    if (!loaded_) {
      current_ = next_block();
      loaded_ = true;
    }
    const uint32_t word = current_.words[next_];
    next_ = (next_ + 1) % 4;
    loaded_ = next_ != 0;
    return word;
  }

 private:
  PhiloxKey key_;
  uint64_t subsequence_;
  uint64_t block_;
  uint32_t next_; // within current_
  bool loaded_ = false;
  PhiloxBlock current_{};
};

using philox_engine = Philox4_32;

} // namespace at
