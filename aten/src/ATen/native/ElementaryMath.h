#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at {
struct TensorIteratorBase;
}

namespace at::native {

// Functions of the C library that have vector forms.
enum class Elementary {
  Tan,
  Acos,
  Asin,
  Atan,
  Cosh,
  Sinh,
  Acosh,
  Asinh,
  Atanh,
  Log2,
  Log10,
  Exp2,
  Erfc,
  Atan2, // the first of two operands
  Fmod,
};

// out[i] = function(x[i]) or function(x[i], y[i]) for n adjacent floats or doubles. Operators with
// other strides and dtypes copy blocks, so that each function is compiled once per dtype.
struct ElementaryCall {
  Elementary function;
  bool is_double;
  const void *x, *y;
  void* out;
  int64_t n;
};

DECLARE_DISPATCH(void (*)(const ElementaryCall&), elementary_stub);

// Replaces NaN and the infinities.
DECLARE_DISPATCH(
    void (*)(TensorIteratorBase&, double nan, double above, double below), nan_to_num_stub);

} // namespace at::native
