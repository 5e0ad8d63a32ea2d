#pragma once

// What the reductions' files share: accumulators, stores, and the way from a stub to a kernel.

#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cuda/Reduce.cuh>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <limits>
#include <type_traits>

namespace at::native {

// Sums on the device: float for the 16-bit types, int64 for integers, the type itself otherwise.
template <typename T>
struct DeviceAccumulator {
  using type = std::conditional_t<
      std::is_integral_v<T>, int64_t,
      std::conditional_t<
          std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>, float, T>>;
};
template <typename T>
using device_acc_t = typename DeviceAccumulator<T>::type;

// The narrower type in which extrema are compared.
template <typename T>
using device_order_t = std::conditional_t<std::is_integral_v<T>, T, device_acc_t<T>>;

// A ReduceKernel whose device part runs Op::run.
template <typename Runner>
struct OnDeviceKernel {
  static constexpr ReduceKernel kernel{0, 0, nullptr, nullptr, nullptr, nullptr, &Runner::run};
};

// Stores a floating-point value as one of the four floating-point types.
template <typename Value>
struct FloatingStore {
  void* out;
  c10::ScalarType dtype;

  C10_DEVICE void operator()(int64_t at, Value value) const {
    switch (dtype) {
      case c10::ScalarType::Double:
        static_cast<double*>(out)[at] = static_cast<double>(value);
        break;
      case c10::ScalarType::Half:
        static_cast<c10::Half*>(out)[at] = static_cast<c10::Half>(static_cast<float>(value));
        break;
      case c10::ScalarType::BFloat16:
        static_cast<c10::BFloat16*>(out)[at] =
            static_cast<c10::BFloat16>(static_cast<float>(value));
        break;
      default:
        static_cast<float*>(out)[at] = static_cast<float>(value);
    }
  }
};

} // namespace at::native
