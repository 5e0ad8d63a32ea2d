#pragma once

#include <ATen/TensorIterator.h>

// A number that an iterator rounds to a 16-bit float stays beside it as a 32-bit one, in the part
// of the operand's value that two bytes leave free.

namespace at {

inline constexpr size_t kUnroundedOffset = OperandInfo::kValueSize - sizeof(float);

// The number that an operand in Half or BFloat16 was made of; null if it was a tensor of that
// dtype.
inline const float* unrounded_number(const TensorIteratorBase& iter, int64_t arg) {
  const TensorBase& given = iter.tensor_base(arg);
  if (given.defined() && given.scalar_type() == iter.dtype(arg)) return nullptr;
  const void* beside = static_cast<const char*>(iter.data_ptr(arg)) + kUnroundedOffset;
  return static_cast<const float*>(beside);
}

} // namespace at
