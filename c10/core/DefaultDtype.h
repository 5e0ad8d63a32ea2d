#pragma once

#include <c10/util/typeid.h>

namespace c10 {

// The default floating-point type and the matching complex type.
C10_API void set_default_dtype(caffe2::TypeMeta dtype);
C10_API caffe2::TypeMeta get_default_dtype();
C10_API ScalarType get_default_dtype_as_scalartype();
C10_API caffe2::TypeMeta get_default_complex_dtype();

} // namespace c10

namespace at {
using c10::get_default_complex_dtype;
using c10::get_default_dtype;
} // namespace at
