#pragma once

#include <ATen/native/DispatchStub.h>

namespace at {
struct TensorIteratorBase;
}

namespace at::native {

// beta * self + alpha * column * row for floats or doubles: a matrix product without sums, in one
// pass over the matrix.
using rank_one_fn = void (*)(TensorIteratorBase&, double beta, double alpha);
DECLARE_DISPATCH(rank_one_fn, rank_one_stub);

} // namespace at::native
