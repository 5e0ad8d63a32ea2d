#pragma once

#include <ATen/native/SoftMaxStub.h>
#include <ATen/native/cuda/ReduceTypes.cuh>
#include <ATen/native/cuda/Rows.cuh>

#include <cmath>

namespace at::native {

// The maximum of some numbers, and the sum of exp(x - maximum), updated one number at a time:
// Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018).
template <typename Real>
struct OnlineSum {
  Real max = -std::numeric_limits<Real>::infinity();
  Real sum = 0;

  C10_DEVICE void add(Real x) {
    if (x > max) {
      // x - x is zero, or NaN for an infinity.
      sum = sum * std::exp(max - x) + (Real(1) + (x - x));
      max = x;
    } else if (x != -std::numeric_limits<Real>::infinity()) {
      sum += std::exp(x - max);
    }
  }

  C10_DEVICE static OnlineSum combine(const OnlineSum& a, const OnlineSum& b) {
    if (b.sum == Real(0)) return a;
    if (a.sum == Real(0)) return b;
    const Real max = a.max > b.max ? a.max : b.max;
    OnlineSum result;
    result.max = max;
    result.sum = a.max == b.max ? a.sum + b.sum
                                : a.sum * std::exp(a.max - max) + b.sum * std::exp(b.max - max);
    return result;
  }
};

// One call for each dtype that has a softmax; false for others.
template <template <typename> typename Run, typename... Arguments>
bool for_floating_dtype(c10::ScalarType dtype, Arguments&&... arguments) {
  switch (dtype) {
    case c10::ScalarType::Float:
      Run<float>::run(arguments...);
      return true;
    case c10::ScalarType::Double:
      Run<double>::run(arguments...);
      return true;
    case c10::ScalarType::Half:
      Run<c10::Half>::run(arguments...);
      return true;
    case c10::ScalarType::BFloat16:
      Run<c10::BFloat16>::run(arguments...);
      return true;
    default:
      return false;
  }
}

} // namespace at::native
