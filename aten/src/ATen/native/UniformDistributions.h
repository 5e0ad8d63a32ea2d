#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cmath>
#include <cstdint>
#include <mutex>
#include <numbers>
#include <type_traits>

namespace at::native {

// The streams below are part of the interface: the same seed gives the same numbers as in PyTorch.

// A number in [0, 1): 24 random bits for float, 53 for double.
inline float uniform_float(uint32_t word) {
  return static_cast<float>(word & ((uint32_t{1} << 24) - 1)) * 0x1p-24f;
}

inline float uniform_float(CPUGeneratorImpl& generator) {
  return uniform_float(generator.random());
}

inline double uniform_double(uint64_t word) {
  return static_cast<double>(word & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}

inline double uniform_double(CPUGeneratorImpl& generator) {
  return uniform_double(generator.random64());
}

// The next `count` numbers of a generator, in less time than that many calls take.
void draw_uniform(float* data, int64_t count, CPUGeneratorImpl& generator);
void draw_uniform(double* data, int64_t count, CPUGeneratorImpl& generator);

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

// Sets self[i] = next() for all elements in memory order, on one thread.
template <typename T, typename Next>
void fill_in_order(const Tensor& self, Next&& next) {
  if (self.numel() == 0) {
    return;
  }
  if (self.is_non_overlapping_and_dense()) {
    T* data = static_cast<T*>(self.mutable_data_ptr());
    for (int64_t i = 0, count = self.numel(); i < count; ++i) {
      data[i] = next();
    }
    return;
  }
  assert_no_internal_overlap(self);
  auto iterator = TensorIterator::borrowing_nullary_op(self);
  iterator.serial_for_each(
      [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
        for (int64_t outer = 0; outer < size1; ++outer) {
          char* row = data[0] + outer * strides[1];
          for (int64_t i = 0; i < size0; ++i) {
            *reinterpret_cast<T*>(row + i * strides[0]) = next();
          }
        }
      },
      {0, iterator.numel()});
}

} // namespace at::native
