#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at {
struct TensorIteratorBase;
}

namespace at::native {

// Losses that depend on the difference z = input - target. The parameter is beta or delta.
//   Squared:  z^2
//   SmoothL1: z^2 / (2 beta) inside |z| < beta, |z| - beta / 2 outside
//   Huber:    z^2 / 2 inside |z| <= delta, delta (|z| - delta / 2) outside
enum class PointLoss { Squared, SmoothL1, Huber };

// Inputs: (input, target).
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, PointLoss, double parameter), point_loss_stub);
// norm * grad * slope; inputs: (input, target, grad).
DECLARE_DISPATCH(
    void (*)(TensorIteratorBase&, PointLoss, double parameter, double norm),
    point_loss_backward_stub);
// Sums the loss over two arrays.
DECLARE_DISPATCH(
    double (*)(
        c10::ScalarType dtype, const void* input, const void* target, int64_t n, PointLoss,
        double parameter),
    point_loss_sum_stub);

// -t log(x) - (1 - t) log(1 - x); inputs: (x, t). Returns false if an x is not in [0, 1]; a
// kernel of another device may check that itself.
DECLARE_DISPATCH(bool (*)(TensorIteratorBase&), binary_cross_entropy_stub);
// grad * slope / count; inputs: (grad, x, t).
DECLARE_DISPATCH(void (*)(TensorIteratorBase&, double count), binary_cross_entropy_backward_stub);
// The same loss of x = logistic(z); inputs: (z, t).
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), binary_cross_entropy_logits_stub);

} // namespace at::native
