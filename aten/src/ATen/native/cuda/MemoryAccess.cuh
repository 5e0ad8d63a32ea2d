#pragma once

// How element-wise kernels read and write: vectors of up to 16 bytes, and elements of any dtype.

#include <ATen/ScalarValue.h>
#include <c10/core/ScalarType.h>

#include <cuda_runtime.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace at::native::memory {

// A bool in memory may hold any byte.
template <typename T>
__device__ __forceinline__ T load(const char* address) {
  if constexpr (std::is_same_v<T, bool>) {
    return *reinterpret_cast<const uint8_t*>(address) != 0;
  } else {
    return *reinterpret_cast<const T*>(address);
  }
}

template <typename T, int kWidth>
struct alignas(sizeof(T) * kWidth) Vector {
  T elements[kWidth];
};

template <size_t kIndex, typename T, int kWidth>
struct Slot {
  using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  Vector<Stored, kWidth> vector;
};

template <int kWidth, typename Indices, typename... T>
struct Slots;
template <int kWidth, size_t... kIndex, typename... T>
struct Slots<kWidth, std::index_sequence<kIndex...>, T...> : Slot<kIndex, T, kWidth>... {};

// A vector of each type.
template <int kWidth, typename... T>
struct Row : Slots<kWidth, std::index_sequence_for<T...>, T...> {
  template <size_t I>
  using SlotOf = Slot<I, std::tuple_element_t<I, std::tuple<T...>>, kWidth>;

  template <size_t I>
  __device__ __forceinline__ void load(const char* data, int vector) {
    auto& own = static_cast<SlotOf<I>&>(*this).vector;
    own = reinterpret_cast<const std::decay_t<decltype(own)>*>(data)[vector];
  }
  template <size_t I>
  __device__ __forceinline__ void fill(const char* value) {
    auto& own = static_cast<SlotOf<I>&>(*this).vector;
#pragma unroll
    for (int lane = 0; lane < kWidth; ++lane) {
      own.elements[lane] = *reinterpret_cast<const typename SlotOf<I>::Stored*>(value);
    }
  }
  template <size_t I>
  __device__ __forceinline__ auto get(int lane) const {
    using Type = std::tuple_element_t<I, std::tuple<T...>>;
    const auto& stored = static_cast<const SlotOf<I>&>(*this).vector.elements[lane];
    if constexpr (std::is_same_v<Type, bool>) {
      return stored != 0;
    } else {
      return Type(stored);
    }
  }
  template <size_t I, typename Value>
  __device__ __forceinline__ void set(int lane, const Value& value) {
    static_cast<SlotOf<I>&>(*this).vector.elements[lane] = value;
  }
  template <size_t I>
  __device__ __forceinline__ void store(char* data, int vector) const {
    const auto& own = static_cast<const SlotOf<I>&>(*this).vector;
    reinterpret_cast<std::decay_t<decltype(own)>*>(data)[vector] = own;
  }
};

// Not inlined: all kernels of a file share one per type, and only those that convert call it.
template <typename T>
__device__ C10_NOINLINE T load_as(const char* address, ScalarType dtype) {
  return load_value<T>(address, dtype);
}

template <typename T>
__device__ C10_NOINLINE void store_as(char* address, ScalarType dtype, T value) {
  switch (dtype) {
#define AT_STORE_CASE(type, name, number)                             \
  case ScalarType::name:                                              \
    *reinterpret_cast<type*>(address) = convert_element<type>(value); \
    break;
    C10_FORALL_SCALAR_TYPES(AT_STORE_CASE)
#undef AT_STORE_CASE
    default:
      break;
  }
}

} // namespace at::native::memory
