#pragma once

#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>

namespace at::native {

// A number as the bytes of one element, so that kernels that only move data can be compiled per
// element size and not per dtype.
struct ScalarBytes {
  alignas(16) unsigned char data[16] = {};
};

// Throws if the value does not fit the dtype, like Scalar::to.
TORCH_API ScalarBytes scalar_bytes(const Scalar& value, ScalarType dtype);

// Writes `count` copies of the element at `value` to `out`, in parallel if that is faster.
TORCH_API void fill_elements(void* out, int64_t count, const ScalarBytes& value, size_t itemsize);

// memcpy and memset of any length, in parallel if that is faster.
TORCH_API void copy_bytes(void* to, const void* from, size_t bytes);
TORCH_API void zero_bytes(void* to, size_t bytes);

// uint16, uint32, uint64 and the 8-bit floats are storage dtypes: PyTorch rejects them in most
// operators. Throws the error of a kernel that is not compiled for the dtype.
TORCH_API void check_not_storage_dtype(ScalarType dtype, const char* name);
// The same in operators that move elements, which support the 8-bit floats.
TORCH_API void check_movable_dtype(ScalarType dtype, const char* name);

// The unsigned integer or pair that holds an element of SIZE bytes.
struct alignas(16) Bytes16 {
  uint64_t low;
  uint64_t high;
};

// Calls f with a value of the opaque type of `itemsize` bytes: 1, 2, 4, 8 or 16.
template <typename F>
inline void dispatch_itemsize(size_t itemsize, F&& f) {
  switch (itemsize) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Bytes16{});
  }
}

} // namespace at::native
