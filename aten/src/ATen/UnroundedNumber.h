#pragma once

#include <ATen/TensorIterator.h>

// When an iterator rounds a number to a 16-bit float, it also keeps the number as a 32-bit float,
// in the bytes of the operand's value that the 16-bit one leaves free.

namespace at {

inline constexpr size_t kUnroundedOffset = OperandInfo::kValueSize - sizeof(float);

// The unrounded number behind a Half or BFloat16 operand; null if the operand was a tensor of that
// dtype.
inline const float* unrounded_number(const TensorIteratorBase& iter, int64_t arg) {
  const TensorBase& given = iter.tensor_base(arg);
  if (given.defined() && given.scalar_type() == iter.dtype(arg)) return nullptr;
  const void* unrounded = static_cast<const char*>(iter.data_ptr(arg)) + kUnroundedOffset;
  return static_cast<const float*>(unrounded);
}

} // namespace at
