#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <vector>

// Padding and interpolation: every output row and column is copied from one input row or column or
// interpolated between two.
namespace at::native {

// The source of the coordinates of an output axis: in[first[i]] or, if second and by are set,
// in[first[i]] * (1 - by[i]) + in[second[i]] * by[i].
struct AxisMap {
  std::vector<int64_t> first;
  std::vector<int64_t> second; // empty if the map only copies
  std::vector<double> by;

  int64_t size() const { return static_cast<int64_t>(first.size()); }
};

struct Resampling {
  int64_t planes;
  int64_t in_h, in_w;
  AxisMap rows, columns; // both copy, or both interpolate
  // Volumes of in_d planes, for maps that copy; a single plane otherwise.
  int64_t in_d = 1;
  AxisMap depth = {{0}, {}, {}};
  // Adjacent numbers that form one element of a plane, for maps that interpolate.
  int64_t channels = 1;
};

// From contiguous [planes][in_d][in_h][in_w] to
// [planes][depth.size()][rows.size()][columns.size()]. Maps that copy move elements of any dtype by
// their size; maps that interpolate need a floating dtype or bytes.
using resample_fn = void (*)(ScalarType dtype, const Resampling& job, const void* in, void* out);
DECLARE_DISPATCH(resample_fn, resample_stub);

// The adjoint, for float and double.
DECLARE_DISPATCH(resample_fn, resample_backward_stub);

// Runs the kernels on tensors of any strides: over the last two dimensions or, without `rows`, over
// the last one; with `depth`, which needs maps that copy, over three.
void resample(
    const Tensor& in, const Tensor& out, const std::optional<AxisMap>& rows, const AxisMap& columns,
    const std::optional<AxisMap>& depth = {});
void resample_backward(
    const Tensor& grad, const Tensor& grad_in, const std::optional<AxisMap>& rows,
    const AxisMap& columns, const std::optional<AxisMap>& depth = {});

} // namespace at::native
