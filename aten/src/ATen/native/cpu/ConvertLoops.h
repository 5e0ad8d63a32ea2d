#pragma once

#include <ATen/TensorIterator.h>

// Conversions of copy_, in one file per kind of target so that each compiles quickly.

namespace at::native {

// Converts between any two dtypes, one element at a time.
void convert_by_element(TensorIterator& iter);

inline namespace CPU_CAPABILITY {

void convert_to_floating(TensorIterator& iter);
void convert_to_integral(TensorIterator& iter);

} // namespace CPU_CAPABILITY
} // namespace at::native
