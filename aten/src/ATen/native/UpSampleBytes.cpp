// Interpolation of images of bytes in fixed point, as image libraries do it.

#include <ATen/native/WeightedAxis.h>

#include <ATen/ops/copy.h>

#include <algorithm>
#include <cmath>

namespace at::native {

DEFINE_DISPATCH(mix_bytes_stub);

namespace {

// The weights have as many bits after the point as leave the largest a 16-bit number.
int shift_for(double largest) {
  int shift = 1;
  while (shift < 22 && std::floor(0.5 + std::ldexp(largest, shift + 1)) < (1 << 15)) {
    ++shift;
  }
  return shift;
}

// The nearest number of taps that vectorized kernels take; the weights of the others are zeros.
int64_t padded(int64_t taps, int64_t in, int64_t channels) {
  const int64_t step = taps <= 2 || channels > 1 ? 2 : taps <= 4 ? 4 : 8;
  const int64_t wide = (taps + step - 1) / step * step;
  return wide <= in ? wide : taps;
}

// The indices of a sum are adjacent, apart from those that the ends of the axis clamp. `channels`
// are those of columns; the taps of rows are not padded.
ByteAxis byte_axis(
    const WeightedAxis& axis, int64_t in, const std::optional<int64_t>& channels = {}) {
  ByteAxis result;
  result.size = in;
  if (axis.size() == in) {
    return result;
  }
  for (int64_t i = 0; i < axis.size(); ++i) {
    const auto [low, high] = std::minmax_element(
        axis.index.begin() + axis.begin[i], axis.index.begin() + axis.begin[i + 1]);
    result.first.push_back(*low);
    result.taps = std::max(result.taps, *high - *low + 1);
  }
  result.taps = channels.has_value() ? padded(result.taps, in, *channels) : result.taps;
  std::vector<double> sums(axis.size() * result.taps);
  for (int64_t i = 0; i < axis.size(); ++i) {
    result.first[i] = std::min(result.first[i], in - result.taps);
    for (int64_t k = axis.begin[i]; k < axis.begin[i + 1]; ++k) {
      sums[i * result.taps + axis.index[k] - result.first[i]] += axis.weight[k];
    }
  }
  result.shift = shift_for(*std::max_element(sums.begin(), sums.end()));
  const double one = std::ldexp(1.0, result.shift);
  result.weight.reserve(sums.size());
  for (const double sum : sums) {
    // Halves are rounded away from zero.
    result.weight.push_back(static_cast<int16_t>(sum * one + std::copysign(0.5, sum)));
  }
  return result;
}

} // namespace

void interpolate_bytes(
    const Tensor& in, const Tensor& out, const WeightedAxis& rows, const WeightedAxis& columns) {
  if (out.numel() == 0) {
    return;
  }
  const bool pixels = !in.is_contiguous() && in.is_contiguous(MemoryFormat::ChannelsLast) &&
      out.is_contiguous(MemoryFormat::ChannelsLast);
  const Tensor source = pixels ? in : in.contiguous(), target = pixels ? out : out.contiguous();
  ByteImages images{
      in.size(0),
      in.size(2),
      in.size(3),
      out.size(2),
      out.size(3),
      in.size(1),
      byte_axis(rows, in.size(2)),
      byte_axis(columns, in.size(3), pixels ? in.size(1) : 1)};
  if (!pixels) {
    images.planes *= images.channels;
    images.channels = 1;
  }
  mix_bytes_stub(
      in.device().type(), images, source.const_data_ptr<uint8_t>(),
      target.mutable_data_ptr<uint8_t>());
  if (!target.is_same(out)) {
    at::methods::copy_(out, target);
  }
}

} // namespace at::native
