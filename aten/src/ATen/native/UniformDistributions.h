#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/RandomKernels.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <numbers>
#include <type_traits>

namespace at::native {

// The streams below are part of the interface: the same seed gives the same numbers as in PyTorch.

inline float uniform_float(CPUGeneratorImpl& generator) {
  return uniform_float(generator.random());
}

inline double uniform_double(CPUGeneratorImpl& generator) {
  return uniform_double(generator.random64());
}

// Calls use(words, first, last) for the elements from 0 to `count`, some at a time in order: each
// of them takes `kWords` random words of 32 bits.
template <int kWords, typename Use>
void draw_words(CPUGeneratorImpl& generator, int64_t count, Use&& use) {
  for (int64_t i = 0; i < count;) {
    const auto words = generator.upcoming_random();
    const int64_t ready = std::min(count - i, static_cast<int64_t>(words.size()) / kWords);
    if (ready > 0) {
      use(words.data(), i, i + ready);
      generator.skip_random(ready * kWords);
      i += ready;
    } else {
      std::array<uint32_t, kWords> split;
      std::generate(split.begin(), split.end(), [&] { return generator.random(); });
      use(split.data(), i, i + 1);
      ++i;
    }
  }
}

// Sets data[i] = fma(u, width, low) for the next `count` numbers u in [0, 1).
template <typename T>
void draw_uniform(
    T* data, int64_t count, CPUGeneratorImpl& generator, double low = 0, double width = 1) {
  constexpr bool is_double = std::is_same_v<T, double>;
  static_assert(is_double || std::is_same_v<T, float>);
  draw_words<is_double ? 2 : 1>(
      generator, count, [&](const uint32_t* words, int64_t first, int64_t last) {
        uniform_numbers_stub.on_host(words, data + first, last - first, low, width, is_double);
      });
}

// The Box-Muller method makes two numbers at a time; the generator keeps the second one.
inline double next_normal(CPUGeneratorImpl& generator) {
  if (const auto saved = generator.next_double_normal_sample()) {
    generator.set_next_double_normal_sample(std::nullopt);
    return *saved;
  }
  const double first = uniform_double(generator);
  const double second = uniform_double(generator);
  const double radius = std::sqrt(-2.0 * std::log1p(-second));
  const double angle = 2.0 * std::numbers::pi * first;
  generator.set_next_double_normal_sample(radius * std::sin(angle));
  return radius * std::cos(angle);
}

// The given generator, or the default CPU generator, for the duration of one fill.
class LockedGenerator {
 public:
  explicit LockedGenerator(const std::optional<Generator>& generator)
      : generator_(get_generator_or_default<CPUGeneratorImpl>(
            generator, at::detail::getDefaultCPUGenerator())),
        lock_(generator_->mutex_) {}

  CPUGeneratorImpl& operator*() const { return *generator_; }

 private:
  CPUGeneratorImpl* generator_;
  std::lock_guard<std::mutex> lock_;
};

// Calls fill(data, count) for all elements in memory order, runs of adjacent ones, on one thread.
template <typename T, typename Fill>
void fill_runs(const Tensor& self, Fill&& fill) {
  if (self.numel() == 0) {
    return;
  }
  if (self.is_non_overlapping_and_dense()) {
    fill(static_cast<T*>(self.mutable_data_ptr()), self.numel());
    return;
  }
  assert_no_internal_overlap(self);
  auto iterator = TensorIterator::borrowing_nullary_op(self);
  iterator.serial_for_each(
      [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
        for (int64_t outer = 0; outer < size1; ++outer) {
          char* row = data[0] + outer * strides[1];
          for (int64_t i = 0; i < size0; ++i) {
            fill(reinterpret_cast<T*>(row + i * strides[0]), 1);
          }
        }
      },
      {0, iterator.numel()});
}

// Sets self[i] = next() for all elements in memory order, on one thread.
template <typename T, typename Next>
void fill_in_order(const Tensor& self, Next&& next) {
  fill_runs<T>(self, [&](T* data, int64_t count) { std::generate_n(data, count, next); });
}

} // namespace at::native
