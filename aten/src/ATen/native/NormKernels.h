#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

// Normalizations over contiguous arrays of float, double, half or bfloat16. Statistics, weights and
// their gradients are float, or double for double inputs ("wide" below). All kernels return false
// for other dtypes.
namespace at::native {

// Gradients of y = (x - mean) * rstd * weight + bias over rows or, if mean is null, of y = x * rstd
// * weight with rstd = 1 / sqrt(mean(x^2) + eps). Null outputs are skipped.
struct RowNormBackwardJob {
  const void* grad;
  const void* in;
  const void* weight; // wide, may be null
  const void* mean;   // wide, one per row; null for an RMS norm
  const void* rstd;
  void* grad_in;
  void* grad_weight; // wide
  void* grad_bias;   // wide
  int64_t rows;
  int64_t n;
};
using row_norm_backward_fn = bool (*)(c10::ScalarType dtype, const RowNormBackwardJob& job);
DECLARE_DISPATCH(row_norm_backward_fn, row_norm_backward_stub);

// Normalizes each row with its own statistics: layer_norm is out = (in - mean) * rstd * weight +
// bias with rstd = 1 / sqrt(var + eps); rms_norm does not subtract the mean, so rstd is 1 /
// sqrt(mean(in^2) + eps).
struct RowNormJob {
  const void* in;
  const void* weight; // wide, may be null
  const void* bias;   // wide, may be null
  void* out;
  void* mean; // wide, one per row; null if not needed
  void* rstd; // wide, one per row
  int64_t rows;
  int64_t n;
  double eps;
};
using row_norm_fn = bool (*)(c10::ScalarType dtype, const RowNormJob& job);
DECLARE_DISPATCH(row_norm_fn, layer_norm_stub);
DECLARE_DISPATCH(row_norm_fn, rms_norm_stub);

// Arrays with one coefficient per channel: [batch][all_channels][inner], of which the first
// `channels` are processed, or for channels last [batch][inner][channels].
struct ChannelShape {
  int64_t batch, channels, inner;
  bool channels_last;
  int64_t all_channels = channels;

  int64_t count() const { return batch * inner; } // elements of a channel
};

// Computes the mean of each channel and the sum of the squared deviations from it.
using channel_moments_fn = bool (*)(
    c10::ScalarType dtype, const ChannelShape& shape, const void* in, double* mean,
    double* deviations);
DECLARE_DISPATCH(channel_moments_fn, channel_moments_stub);

// out = in * scale[c] + shift[c], with wide scales and shifts.
using channel_scale_fn = bool (*)(
    c10::ScalarType dtype, const ChannelShape& shape, const void* in, const void* scale,
    const void* shift, void* out);
DECLARE_DISPATCH(channel_scale_fn, channel_scale_stub);

// Sums grad and grad * (in - centre[c]) over each channel, with a wide centre.
using channel_dots_fn = bool (*)(
    c10::ScalarType dtype, const ChannelShape& shape, const void* grad, const void* in,
    const void* centre, double* sums, double* dots);
DECLARE_DISPATCH(channel_dots_fn, channel_dots_stub);

// out = grad * by_grad[c] + (in - centre[c]) * by_in[c] + shift[c], with wide coefficients.
struct ChannelCoefficients {
  const void* by_grad;
  const void* by_in;
  const void* centre;
  const void* shift;
};
using channel_combine_fn = bool (*)(
    c10::ScalarType dtype, const ChannelShape& shape, const void* grad, const void* in,
    const ChannelCoefficients& coefficients, void* out);
DECLARE_DISPATCH(channel_combine_fn, channel_combine_stub);

} // namespace at::native
