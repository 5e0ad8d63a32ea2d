#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at {
struct TensorIteratorBase;
}

namespace at::native {

// Functions that have vector forms.
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
  Entr,
  I0,
  I0e,
  I1,
  I1e,
  Sinc,
  Atan2, // the first of two operands
  Fmod,
  Xlog1py,
  Lgamma, // from here on in double precision also for floats
  Trigamma,
  Erfinv,
  Ndtri,
  Erfcx,
  LogNdtr,
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
DECLARE_DISPATCH(void (*)(const ElementaryCall&), special_stub);

// Over the rows of floating-point tensors with one or two operands; `name` is for errors.
void map_elementary(TensorIteratorBase& iter, Elementary function, const char* name);

// Replaces NaN and the infinities.
DECLARE_DISPATCH(
    void (*)(TensorIteratorBase&, double nan, double above, double below), nan_to_num_stub);

} // namespace at::native
