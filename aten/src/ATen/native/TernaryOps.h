#pragma once

#include <ATen/native/DispatchStub.h>

namespace c10 {
class Scalar;
}
namespace at {
struct TensorIteratorBase;
}

namespace at::native {

using ternary_fn = void (*)(TensorIteratorBase&);
using ternary_scalar_fn = void (*)(TensorIteratorBase&, const c10::Scalar&);

DECLARE_DISPATCH(ternary_fn, where_stub);
DECLARE_DISPATCH(ternary_fn, clamp_stub);
DECLARE_DISPATCH(
    void (*)(TensorIteratorBase&, const c10::Scalar& low, const c10::Scalar& high),
    clamp_scalar_stub);
DECLARE_DISPATCH(ternary_scalar_fn, clamp_min_scalar_stub);
DECLARE_DISPATCH(ternary_scalar_fn, clamp_max_scalar_stub);
DECLARE_DISPATCH(ternary_scalar_fn, addcmul_stub);
DECLARE_DISPATCH(ternary_scalar_fn, addcdiv_stub);
DECLARE_DISPATCH(ternary_scalar_fn, lerp_scalar_stub);
DECLARE_DISPATCH(ternary_fn, lerp_tensor_stub);
DECLARE_DISPATCH(ternary_fn, pow_tensor_tensor_stub);
DECLARE_DISPATCH(ternary_scalar_fn, pow_tensor_scalar_stub);

} // namespace at::native
