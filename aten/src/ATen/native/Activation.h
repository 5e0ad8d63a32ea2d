#pragma once

#include <ATen/native/DispatchStub.h>

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

// Backward kernels read (grad_output, self or output) in the order of their schema.
DECLARE_DISPATCH(activation_two_scalars_fn, threshold_stub);
DECLARE_DISPATCH(activation_scalar_fn, threshold_backward_stub);
DECLARE_DISPATCH(activation_fn, sigmoid_backward_stub);
DECLARE_DISPATCH(activation_fn, tanh_backward_stub);
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, bool tanh_approximation), gelu_backward_stub);
DECLARE_DISPATCH(activation_scalar_fn, hardshrink_stub);
DECLARE_DISPATCH(activation_scalar_fn, shrink_backward_stub);
DECLARE_DISPATCH(activation_fn, prelu_stub);
DECLARE_DISPATCH(activation_fn, prelu_backward_stub);

} // namespace at::native
