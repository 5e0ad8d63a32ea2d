#pragma once

#include <ATen/native/IndexedLoop.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

namespace at::native {

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
