#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace c10 {
class Scalar;
}
namespace at {
struct TensorIteratorBase;
}

namespace at::native {

using unary_fn = void (*)(TensorIteratorBase&);

DECLARE_DISPATCH(unary_fn, abs_stub);
DECLARE_DISPATCH(unary_fn, neg_stub);
DECLARE_DISPATCH(unary_fn, sign_stub);
DECLARE_DISPATCH(unary_fn, exp_stub);
DECLARE_DISPATCH(unary_fn, expm1_stub);
DECLARE_DISPATCH(unary_fn, log_stub);
DECLARE_DISPATCH(unary_fn, log1p_stub);
DECLARE_DISPATCH(unary_fn, sqrt_stub);
DECLARE_DISPATCH(unary_fn, rsqrt_stub);
DECLARE_DISPATCH(unary_fn, reciprocal_stub);
DECLARE_DISPATCH(unary_fn, sin_stub);
DECLARE_DISPATCH(unary_fn, cos_stub);
DECLARE_DISPATCH(unary_fn, tanh_stub);
DECLARE_DISPATCH(unary_fn, sigmoid_stub);
DECLARE_DISPATCH(unary_fn, erf_stub);
DECLARE_DISPATCH(unary_fn, erfinv_stub);
DECLARE_DISPATCH(unary_fn, floor_stub);
DECLARE_DISPATCH(unary_fn, ceil_stub);
DECLARE_DISPATCH(unary_fn, trunc_stub);
DECLARE_DISPATCH(unary_fn, round_stub);
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, int64_t decimals), round_decimals_stub);
DECLARE_DISPATCH(unary_fn, bitwise_not_stub);
DECLARE_DISPATCH(unary_fn, logical_not_stub);

// The predicates of isnan, isinf and isfinite; the output is bool.
enum class FloatClass { NaN, Infinite, Finite };
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, FloatClass), float_class_stub);

DECLARE_DISPATCH(void (*)(TensorIteratorBase&, bool tanh_approximation), gelu_stub);

// For complex tensors only.
DECLARE_DISPATCH(unary_fn, sgn_complex_stub);
DECLARE_DISPATCH(unary_fn, conj_complex_stub);

// The output has the real type of the complex input.
DECLARE_DISPATCH(unary_fn, abs_complex_stub);

} // namespace at::native
