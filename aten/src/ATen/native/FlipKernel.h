#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstddef>
#include <cstdint>

namespace at::native {

// Copies `count` elements of `itemsize` bytes between two byte strides (either may be negative).
using reversed_copy_fn = void (*)(
    char* out, const char* in, int64_t count, int64_t out_stride, int64_t in_stride,
    size_t itemsize);

DECLARE_DISPATCH(reversed_copy_fn, reversed_copy_stub);

} // namespace at::native
