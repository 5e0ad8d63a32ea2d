#pragma once

#include <ATen/native/SortKeys.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// Calls f with the key type of the dtype; returns false for a dtype without an order.
template <typename F>
bool with_sort_key(c10::ScalarType dtype, const F& f) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      f(IntegerKey<uint8_t, false>());
      return true;
    case c10::ScalarType::Char:
      f(IntegerKey<uint8_t, true>());
      return true;
    case c10::ScalarType::Short:
      f(IntegerKey<uint16_t, true>());
      return true;
    case c10::ScalarType::UInt16:
      f(IntegerKey<uint16_t, false>());
      return true;
    case c10::ScalarType::Int:
      f(IntegerKey<uint32_t, true>());
      return true;
    case c10::ScalarType::UInt32:
      f(IntegerKey<uint32_t, false>());
      return true;
    case c10::ScalarType::Long:
      f(IntegerKey<uint64_t, true>());
      return true;
    case c10::ScalarType::UInt64:
      f(IntegerKey<uint64_t, false>());
      return true;
    case c10::ScalarType::Half:
      f(FloatKey<uint16_t, 0x7c00>());
      return true;
    case c10::ScalarType::BFloat16:
      f(FloatKey<uint16_t, 0x7f80>());
      return true;
    case c10::ScalarType::Float:
      f(FloatKey<uint32_t, 0x7f800000>());
      return true;
    case c10::ScalarType::Double:
      f(FloatKey<uint64_t, 0x7ff0000000000000>());
      return true;
    default:
      return false;
  }
}

} // namespace at::native
