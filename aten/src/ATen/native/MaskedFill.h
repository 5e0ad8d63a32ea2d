#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstddef>
#include <cstdint>

namespace at {
class Tensor;
}

namespace at::native {

struct ScalarBytes;

// In place; the mask has self's shape.
DECLARE_DISPATCH(
    void (*)(const Tensor& self, const Tensor& mask, const ScalarBytes& value), masked_fill_stub);

// out[i] = mask[i] ? value : in[i], for elements of `itemsize` bytes with byte strides.
using masked_fill_fn = void (*)(
    char* out, const char* in, const bool* mask, int64_t count, int64_t out_stride,
    int64_t in_stride, int64_t mask_stride, const void* value, size_t itemsize);

DECLARE_DISPATCH(masked_fill_fn, masked_fill_row_stub);

} // namespace at::native
