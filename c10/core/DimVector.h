#pragma once

#include <c10/util/SmallVector.h>

#include <cstdint>

namespace c10 {

// Most tensors have at most this many dimensions; the rest fall back to the heap.
constexpr size_t kDimVectorStaticSize = 5;
using DimVector = SmallVector<int64_t, kDimVectorStaticSize>;

} // namespace c10
