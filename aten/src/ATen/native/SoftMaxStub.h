#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// Works along the middle dimension of contiguous [outer, n, inner]; returns false for an
// unsupported dtype.
using softmax_fn = bool (*)(
    c10::ScalarType dtype, const void* in, void* out, int64_t outer, int64_t n, int64_t inner,
    bool log);
DECLARE_DISPATCH(softmax_fn, softmax_stub);

// Computes the gradients of the input from the outputs and their gradients, with the same layout: y
// (g - sum(g y)), or for log g - exp(y) sum(g). Returns false for an unsupported dtype.
using softmax_backward_fn = bool (*)(
    c10::ScalarType dtype, const void* grad, const void* output, void* out, int64_t outer,
    int64_t n, int64_t inner, bool log);
DECLARE_DISPATCH(softmax_backward_fn, softmax_backward_stub);

// Computes log(sum(exp(x))) of the rows of contiguous [rows, n].
using logsumexp_fn =
    bool (*)(c10::ScalarType dtype, const void* in, void* out, int64_t rows, int64_t n);
DECLARE_DISPATCH(logsumexp_fn, logsumexp_stub);

} // namespace at::native
