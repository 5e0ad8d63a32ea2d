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
  Digamma,
  Trigamma,
  Erfinv,
  Ndtri,
  Erfcx,
  LogNdtr,
  Gammainc,  // binary, for floats only
  Gammaincc, // the same
  AiryAi,    // from here on in BesselFormulas.h
  BesselJ0,
  BesselJ1,
  BesselY0,
  BesselY1,
  BesselK0,
  BesselK1,
  ScaledBesselK0,
  ScaledBesselK1,
  SphericalBesselJ0,
  ChebyshevT, // from here on in OrthogonalPolynomials.h, the degree as second operand
  ChebyshevU,
  ChebyshevV,
  ChebyshevW,
  HermiteH,
  HermiteHe,
  LaguerreL,
  LegendreP,
  ShiftedChebyshevT,
  ShiftedChebyshevU,
  ShiftedChebyshevV,
  ShiftedChebyshevW,
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
DECLARE_DISPATCH(void (*)(const ElementaryCall&), bessel_stub);
DECLARE_DISPATCH(void (*)(const ElementaryCall&), polynomial_stub);

// Over the rows of floating-point tensors with one or two operands; `name` is for errors.
void map_elementary(TensorIteratorBase& iter, Elementary function, const char* name);

// Replaces NaN and the infinities.
DECLARE_DISPATCH(
    void (*)(TensorIteratorBase&, double nan, double above, double below), nan_to_num_stub);

} // namespace at::native
