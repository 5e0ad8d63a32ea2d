#pragma once

// Atomic updates for the dtypes that the hardware has none for: a loop of compare-and-swap on the
// word that holds the element.

#include <c10/macros/Macros.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace at::native {

namespace detail {

template <typename T, typename Update>
C10_DEVICE inline void atomic_by_word(T* address, const Update& update) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using Word = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
  Word* word = reinterpret_cast<Word*>(address);
  Word old = *word;
  Word assumed;
  do {
    assumed = old;
    T value;
    memcpy(static_cast<void*>(&value), &assumed, sizeof(T));
    value = update(value);
    Word desired;
    memcpy(&desired, &value, sizeof(T));
    old = atomicCAS(word, assumed, desired);
  } while (old != assumed);
}

// Types of one and two bytes: the aligned word around them.
template <typename T, typename Update>
C10_DEVICE inline void atomic_in_word(T* address, const Update& update) {
  static_assert(sizeof(T) <= 2);
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto* word = reinterpret_cast<unsigned int*>(at & ~uintptr_t{3});
  const auto shift = static_cast<unsigned>((at & 3) * 8);
  const unsigned mask = ((1u << (sizeof(T) * 8)) - 1) << shift;
  unsigned old = *word;
  unsigned assumed;
  do {
    assumed = old;
    using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>;
    const Bits bits = static_cast<Bits>((assumed & mask) >> shift);
    T value;
    memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    value = update(value);
    Bits changed;
    memcpy(&changed, &value, sizeof(T));
    old = atomicCAS(word, assumed, (assumed & ~mask) | (static_cast<unsigned>(changed) << shift));
  } while (old != assumed);
}

template <typename T, typename Update>
C10_DEVICE inline void atomic_update(T* address, const Update& update) {
  if constexpr (sizeof(T) <= 2) {
    atomic_in_word(address, update);
  } else {
    atomic_by_word(address, update);
  }
}

} // namespace detail

template <typename T>
C10_DEVICE inline void gpuAtomicAdd(T* address, T value) {
  if constexpr (c10::is_complex<T>::value) {
    auto* parts = reinterpret_cast<typename T::value_type*>(address);
    atomicAdd(parts, value.real());
    atomicAdd(parts + 1, value.imag());
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    atomicAdd(address, value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
    atomicAdd(reinterpret_cast<unsigned int*>(address), static_cast<unsigned int>(value));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    atomicAdd(
        reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
  } else {
    detail::atomic_update(address, [value](T old) { return static_cast<T>(old + value); });
  }
}

// A product of complex numbers is two words, which no device updates at once: the parts of a
// complex<double> may tear where one element is multiplied twice.
template <typename T>
C10_DEVICE inline void gpuAtomicMul(T* address, T value) {
  if constexpr (sizeof(T) > 8) {
    *address = *address * value;
  } else {
    detail::atomic_update(address, [value](T old) { return static_cast<T>(old * value); });
  }
}

} // namespace at::native
