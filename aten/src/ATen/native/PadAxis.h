#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/Resample.h>
#include <c10/core/DimVector.h>

// Padding with elements of the input itself: reflected, or with the edge replicated.
namespace at::native {

enum class PadMode { Reflection, Replication };

// Checks the arguments of a padding over the last `dims` dimensions, given as pairs (before, after)
// starting with the last dimension, and returns the output's sizes. Negative values crop.
c10::DimVector padded_sizes(PadMode mode, const Tensor& self, IntArrayRef padding, int64_t dims);

// The index map of the dimension that is `from_last` places before the last.
AxisMap padded_axis(PadMode mode, const Tensor& self, IntArrayRef padding, int64_t from_last);

void pad_into(
    PadMode mode, const Tensor& self, IntArrayRef padding, int64_t dims, const Tensor& out);
void pad_backward_into(
    PadMode mode, const Tensor& grad, const Tensor& self, IntArrayRef padding, int64_t dims,
    const Tensor& grad_in);

} // namespace at::native
