#pragma once

#include <c10/macros/Export.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>

// Checks of sizes that a user asked for, before a tensor gets them.

namespace c10 {

// The product of the sizes; throws if one is negative or the product overflows.
C10_API int64_t checked_numel(IntArrayRef sizes);

// The same, and throws if the row-major strides overflow, which they can in an empty tensor.
C10_API int64_t check_contiguous_geometry(IntArrayRef sizes);

} // namespace c10
