#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>

namespace at::cuda {

// Division of numbers below 2^31 by a divisor that is known at the launch: a multiplication and a
// shift, where the processor would need some twenty instructions. T. Granlund and P. Montgomery,
// "Division by invariant integers using multiplication" (PLDI 1994), figure 4.1.
class IntDivider {
 public:
  struct Result {
    uint32_t quotient;
    uint32_t remainder;
  };

  IntDivider() = default;
  explicit IntDivider(uint32_t divisor) : divisor_(divisor) {
    while (shift_ < 31 && (uint32_t{1} << shift_) < divisor) {
      ++shift_;
    }
    const uint64_t power = uint64_t{1} << shift_;
    factor_ = static_cast<uint32_t>(((power - divisor) << 32) / divisor + 1);
  }

  C10_HOST_DEVICE uint32_t div(uint32_t n) const {
    const auto high = static_cast<uint32_t>((static_cast<uint64_t>(n) * factor_) >> 32);
    return (high + n) >> shift_;
  }
  C10_HOST_DEVICE Result divmod(uint32_t n) const {
    const uint32_t quotient = div(n);
    return {quotient, n - quotient * divisor_};
  }

 private:
  uint32_t divisor_ = 1;
  uint32_t factor_ = 1;
  uint32_t shift_ = 0;
};

} // namespace at::cuda
