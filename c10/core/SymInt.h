#pragma once

#include <c10/util/ArrayRef.h>

#include <cstdint>

namespace c10 {

// Symbolic shapes are accepted in schemas and represented as plain integers.
using SymInt = int64_t;
using SymFloat = double;
using SymBool = bool;
using SymIntArrayRef = IntArrayRef;

inline IntArrayRef asIntArrayRefSlow(SymIntArrayRef list) {
  return list;
}

} // namespace c10

#define C10_AS_INTARRAYREF_SLOW(list) (list)

namespace at {
using c10::SymInt;
using c10::SymIntArrayRef;
} // namespace at
