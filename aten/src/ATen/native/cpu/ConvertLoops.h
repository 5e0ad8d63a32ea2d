#pragma once

#include <ATen/TensorIterator.h>

// Conversions of copy_, in one file per kind of target so that each compiles quickly.

namespace at::native {

// Converts between any two dtypes but the 8-bit floats, one element at a time.
void convert_by_element(TensorIterator& iter);

// Converts between two dtypes one or both of which are 8-bit floats.
void convert_float8(TensorIterator& iter);

// One run of convert_by_element: data and strides (in bytes) of the target, then of the source.
using ConvertRun = void (*)(char** data, const int64_t* strides, int64_t n);
ConvertRun find_convert_run(ScalarType to, ScalarType from);

inline namespace CPU_CAPABILITY {

void convert_to_floating(TensorIterator& iter);
void convert_to_integral(TensorIterator& iter);

} // namespace CPU_CAPABILITY
} // namespace at::native
