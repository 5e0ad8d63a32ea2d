#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>

namespace at::native {

// Puts the positions of the matrix's rows, which `order` holds ascending, into the rows'
// lexicographic order, on devices other than the CPU.
using row_order_fn = void (*)(const Tensor& matrix, const Tensor& order);
DECLARE_DISPATCH(row_order_fn, row_order_stub);

} // namespace at::native
