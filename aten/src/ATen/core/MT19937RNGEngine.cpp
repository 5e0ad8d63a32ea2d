#include <ATen/core/MT19937RNGEngine.h>

#include <algorithm>
#include <cstring>

namespace at {

namespace {

constexpr int kShift = 397;

// Four words at a time, which every processor has registers for. The functions below take one word
// as well as four.
typedef uint32_t Words __attribute__((vector_size(16)));
constexpr int kWords = 4;

Words load(const uint32_t* from) {
  Words words;
  std::memcpy(&words, from, sizeof(words));
  return words;
}

void store(uint32_t* to, Words words) {
  std::memcpy(to, &words, sizeof(words));
}

template <typename W>
W twist(W shifted, W u, W v) {
  const W mixed = (u & 0x80000000U) | (v & 0x7fffffffU);
  return shifted ^ (mixed >> 1) ^ (-(v & 1U) & 0x9908b0dfU);
}

template <typename W>
W temper(W y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

// s[i] for begin <= i < end, from s[i + shift] and the two words that begin at s[i]. No word of a
// group depends on another one.
void twist_range(uint32_t* s, int begin, int end, int shift) {
  int i = begin;
  for (; i + kWords <= end; i += kWords) {
    store(s + i, twist(load(s + i + shift), load(s + i), load(s + i + 1)));
  }
  for (; i < end; ++i) {
    s[i] = twist(s[i + shift], s[i], s[i + 1]);
  }
}

} // namespace

void mt19937::next_state() {
  uint32_t* s = data_.state_.data();
  twist_range(s, 0, kSize - kShift, kShift);
  twist_range(s, kSize - kShift, kSize - 1, kShift - kSize);
  s[kSize - 1] = twist(s[kShift - 1], s[kSize - 1], s[0]);
  data_.left_ = kSize;
  data_.next_ = 0;
}

void mt19937::draw(uint32_t* out, int64_t count) {
  while (count > 0) {
    // `left_` counts the words that remain, and one more.
    int remaining = data_.left_ - 1;
    if (remaining == 0) {
      next_state();
      remaining = kSize;
    }
    const int run = static_cast<int>(std::min<int64_t>(count, remaining));
    const uint32_t* words = data_.state_.data() + data_.next_;
    int i = 0;
    for (; i + kWords <= run; i += kWords) {
      store(out + i, temper(load(words + i)));
    }
    for (; i < run; ++i) {
      out[i] = temper(words[i]);
    }
    data_.left_ = remaining - run + 1;
    data_.next_ += static_cast<uint32_t>(run);
    out += run;
    count -= run;
  }
}

} // namespace at
