#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <cstdint>
#include <type_traits>

namespace at {

// The type in which the CPU accumulates sums of T: wide enough to keep long sums accurate.
template <typename T, typename = void>
struct CPUAccumulateType {
  using type = T;
};
template <typename T>
struct CPUAccumulateType<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  using type = int64_t;
};
template <>
struct CPUAccumulateType<bool> {
  using type = bool;
};
template <>
struct CPUAccumulateType<float> {
  using type = double;
};
template <>
struct CPUAccumulateType<c10::Half> {
  using type = float;
};
template <>
struct CPUAccumulateType<c10::BFloat16> {
  using type = float;
};
template <>
struct CPUAccumulateType<c10::complex<float>> {
  using type = c10::complex<double>;
};

template <typename T, bool is_cuda>
using acc_type = typename CPUAccumulateType<T>::type;

} // namespace at
