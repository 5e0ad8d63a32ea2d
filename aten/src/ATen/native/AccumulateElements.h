#pragma once

#include <ATen/native/IndexedLoop.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// The greater and the lesser of two elements; NaN wins over every number. The first choice is one
// instruction, without a branch that random elements would mislead.
template <typename T>
inline T greater_of(T a, T b) {
  const T greater = b > a ? b : a;
  return b != b ? b : greater;
}
template <typename T>
inline T lesser_of(T a, T b) {
  const T lesser = b < a ? b : a;
  return b != b ? b : lesser;
}

// Returns the vector kernel that combines a row of elements with one of distinct elements, or null
// if the dtype has none: indexed[i] = action(indexed[i], plain[i]).
using update_row_fn = void (*)(const void* plain, void* indexed, int64_t count);
using update_row_kernel_fn = update_row_fn (*)(IndexedAction action, ScalarType dtype);
DECLARE_DISPATCH(update_row_kernel_fn, update_row_stub);

// indexed += alpha * plain over the whole loop; for bool, addition is "or". `name` appears in the
// error for an unsupported dtype.
TORCH_API void add_indexed(
    c10::DeviceType device, IndexedLoop& loop, ScalarType dtype, const Scalar& alpha,
    const char* name);

// indexed *= plain.
TORCH_API void multiply_indexed(
    c10::DeviceType device, IndexedLoop& loop, ScalarType dtype, const char* name);

// indexed = max(indexed, plain), or min.
TORCH_API void extremum_indexed(
    c10::DeviceType device, IndexedLoop& loop, ScalarType dtype, bool greatest, const char* name);

// Where a maximum (or, if not `least`, a minimum) starts.
TORCH_API Scalar extreme_value(ScalarType dtype, bool least);

} // namespace at::native
