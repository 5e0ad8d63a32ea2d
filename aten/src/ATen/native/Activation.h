#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace c10 {
class Scalar;
}
namespace at {
struct TensorIteratorBase;
}

namespace at::native {

using activation_fn = void (*)(TensorIteratorBase&);
using activation_scalar_fn = void (*)(TensorIteratorBase&, const c10::Scalar&);
using activation_two_scalars_fn =
    void (*)(TensorIteratorBase&, const c10::Scalar&, const c10::Scalar&);

// Backward kernels read (grad_output, self or output). threshold and leaky_relu swap the two,
// because the first input determines the memory layout of the result.
DECLARE_DISPATCH(activation_two_scalars_fn, threshold_stub);
DECLARE_DISPATCH(activation_scalar_fn, threshold_backward_stub);
DECLARE_DISPATCH(activation_fn, sigmoid_backward_stub);
DECLARE_DISPATCH(activation_fn, tanh_backward_stub);
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, bool tanh_approximation), gelu_backward_stub);
DECLARE_DISPATCH(activation_scalar_fn, hardshrink_stub);
DECLARE_DISPATCH(activation_scalar_fn, shrink_backward_stub);
DECLARE_DISPATCH(activation_fn, prelu_stub);
DECLARE_DISPATCH(activation_fn, prelu_backward_stub);

DECLARE_DISPATCH(activation_fn, silu_stub);
DECLARE_DISPATCH(activation_fn, silu_backward_stub);
DECLARE_DISPATCH(activation_fn, mish_stub);
DECLARE_DISPATCH(activation_fn, mish_backward_stub);
DECLARE_DISPATCH(
    void (*)(
        TensorIteratorBase&, const c10::Scalar& alpha, const c10::Scalar& scale,
        const c10::Scalar& input_scale),
    elu_stub);
DECLARE_DISPATCH(
    void (*)(
        TensorIteratorBase&, const c10::Scalar& alpha, const c10::Scalar& scale,
        const c10::Scalar& input_scale, bool is_result),
    elu_backward_stub);
DECLARE_DISPATCH(activation_two_scalars_fn, softplus_stub);
DECLARE_DISPATCH(activation_two_scalars_fn, softplus_backward_stub);
// Works on n adjacent elements; returns false for an unsupported dtype. Writes exp(-|x|) to the
// buffer.
DECLARE_DISPATCH(
    bool (*)(c10::ScalarType, const void* in, void* out, void* buffer, int64_t n),
    log_sigmoid_stub);
DECLARE_DISPATCH(activation_fn, log_sigmoid_backward_stub);
// The forward kernel reads the halves (a, b); the backward kernel reads (grad, a, b) and writes
// both gradients.
DECLARE_DISPATCH(activation_fn, glu_stub);
DECLARE_DISPATCH(activation_fn, glu_backward_stub);

DECLARE_DISPATCH(activation_scalar_fn, leaky_relu_stub);
DECLARE_DISPATCH(activation_scalar_fn, leaky_relu_backward_stub);
DECLARE_DISPATCH(activation_two_scalars_fn, hardtanh_backward_stub);
DECLARE_DISPATCH(activation_fn, hardsigmoid_stub);
DECLARE_DISPATCH(activation_fn, hardsigmoid_backward_stub);
DECLARE_DISPATCH(activation_fn, hardswish_stub);
DECLARE_DISPATCH(activation_fn, hardswish_backward_stub);
DECLARE_DISPATCH(activation_scalar_fn, softshrink_stub);

} // namespace at::native
