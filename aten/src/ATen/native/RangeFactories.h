#pragma once

#include <ATen/core/TensorBase.h>
#include <ATen/native/DispatchStub.h>
#include <c10/core/Scalar.h>

namespace at::native {

// out[i] = start + step * i, for a contiguous 1-d `out`.
using arange_fn = void (*)(const TensorBase& out, const Scalar& start, const Scalar& step);
// Fills a contiguous 1-d `out` with `out.numel()` points from start to end, both included.
using linspace_fn = void (*)(const TensorBase& out, const Scalar& start, const Scalar& end);

DECLARE_DISPATCH(arange_fn, arange_stub);
DECLARE_DISPATCH(linspace_fn, linspace_stub);

} // namespace at::native
