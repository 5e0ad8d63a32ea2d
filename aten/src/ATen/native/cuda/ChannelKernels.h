#pragma once

// Kernels over inputs with a coefficient per channel, for batch and group norms. Coefficients and
// sums are `wide`: float, or double for double inputs. They throw for dtypes other than these and
// the 16-bit floats.

#include <ATen/core/Tensor.h>
#include <ATen/native/NormKernels.h>

namespace at::native {

// The means of the elements that share an index of dimension `dim`, and the sums of the squared
// deviations from them.
void device_channel_moments(
    const Tensor& in, int64_t dim, const Tensor& mean, const Tensor& deviations);

// out = in * scale[c] + shift[c]
void device_channel_scale(
    const ChannelShape& shape, const Tensor& in, const Tensor& scale, const Tensor& shift,
    const Tensor& out);

// Sums grad, and grad * (in - centre[c]), over each channel.
void device_channel_dots(
    const ChannelShape& shape, const Tensor& grad, const Tensor& in, const Tensor& centre,
    const Tensor& sums, const Tensor& dots);

// out = grad * by_grad[c] + (in - centre[c]) * by_in[c] + shift[c]
struct DeviceCoefficients {
  Tensor by_grad, by_in, centre, shift;
};
void device_channel_combine(
    const ChannelShape& shape, const Tensor& grad, const Tensor& in,
    const DeviceCoefficients& coefficients, const Tensor& out);

} // namespace at::native
