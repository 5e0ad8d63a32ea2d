#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <vector>

// Padding and interpolation: every output row and column is taken from one input row or column, or
// is a mean of two.
namespace at::native {

// Where the coordinates of an output axis come from: in[first[i]], or with second and by
// in[first[i]] * (1 - by[i]) + in[second[i]] * by[i].
struct AxisMap {
  std::vector<int64_t> first;
  std::vector<int64_t> second; // empty for maps that only take
  std::vector<double> by;

  int64_t size() const { return static_cast<int64_t>(first.size()); }
};

struct Resampling {
  int64_t planes;
  int64_t in_h, in_w;
  AxisMap rows, columns; // both take, or both mix
};

// From contiguous [planes][in_h][in_w] to [planes][rows.size()][columns.size()]. Maps that take
// move elements of any dtype by their size; maps that mix need a floating dtype or bytes.
using resample_fn = void (*)(ScalarType dtype, const Resampling& job, const void* in, void* out);
DECLARE_DISPATCH(resample_fn, resample_stub);

// The adjoint, for float and double.
DECLARE_DISPATCH(resample_fn, resample_backward_stub);

// Runs the kernels between tensors of any strides: over the last two dimensions, or without `rows`
// over the last one.
void resample(
    const Tensor& in, const Tensor& out, const std::optional<AxisMap>& rows,
    const AxisMap& columns);
void resample_backward(
    const Tensor& grad, const Tensor& grad_in, const std::optional<AxisMap>& rows,
    const AxisMap& columns);

} // namespace at::native
