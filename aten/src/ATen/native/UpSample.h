#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/Resample.h>
#include <c10/core/DimVector.h>

// Common code of the interpolations.
namespace at::native {

// Checks the arguments of an interpolation over `dims` dimensions and returns (N, C, output...).
c10::DimVector upsample_sizes(IntArrayRef input, IntArrayRef output, int64_t dims);
// The same for the gradient: returns the input's sizes after checking those of the gradient.
c10::DimVector upsample_backward_sizes(
    const Tensor& grad, IntArrayRef output, IntArrayRef input, int64_t dims);

// The output's sizes, from exactly one of sizes and scale factors.
c10::DimVector upsample_output_sizes(
    IntArrayRef input, OptionalIntArrayRef sizes,
    const std::optional<ArrayRef<double>>& scale_factors);
std::optional<double> scale_at(const std::optional<ArrayRef<double>>& scale_factors, size_t at);

// Output pixel i copies input pixel floor(i * scale), or floor((i + 0.5) * scale) if exact; scale
// is 1 / `factor`, or the ratio of the sizes if there is no factor.
AxisMap nearest_axis(int64_t in, int64_t out, std::optional<double> factor, bool exact);

// Output pixel i interpolates between the input's neighbors of i * (in - 1) / (out - 1) with
// aligned corners, else of (i + 0.5) * scale - 0.5. Coordinates are computed in float for float
// inputs.
AxisMap linear_axis(
    int64_t in, int64_t out, std::optional<double> factor, bool align_corners, ScalarType dtype);

} // namespace at::native
