#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>

#include <optional>
#include <vector>

// Interpolation along one axis at a time: every output element is a weighted sum of input elements.
namespace at::native {

// The sums as a sparse matrix by rows: output i adds weight[k] * in[index[k]] for k from begin[i]
// to begin[i + 1].
struct WeightedAxis {
  std::vector<int64_t> begin = {0};
  std::vector<int64_t> index;
  std::vector<double> weight;

  int64_t size() const { return static_cast<int64_t>(begin.size()) - 1; }
  void add(int64_t from, double by) {
    index.push_back(from);
    weight.push_back(by);
  }
  void finish() { begin.push_back(static_cast<int64_t>(index.size())); }
};

// The matrix for the backward pass from an axis of `in` elements.
WeightedAxis transposed(const WeightedAxis& axis, int64_t in);

// Applies one matrix to each trailing dimension of a tensor; float32 and float64 are computed as
// they are, 16-bit floats and bytes in float32.
Tensor interpolate(const Tensor& in, const std::vector<WeightedAxis>& axes);

// Applies the matrix to the middle one of three contiguous dimensions (outer, size, inner) of
// floats or doubles.
struct WeightedSum {
  const WeightedAxis& axis;
  int64_t outer, size, inner;
};
DECLARE_DISPATCH(
    void (*)(ScalarType, const WeightedSum&, const void* in, void* out), weighted_sum_stub);

enum class Filter { Nearest, NearestExact, Linear, Cubic, SmoothLinear, SmoothCubic, Lanczos };

// The matrix of a filter. The smooth filters widen when an axis shrinks (antialiasing).
WeightedAxis filter_axis(
    Filter filter, int64_t in, int64_t out, std::optional<double> factor, bool align_corners,
    ScalarType dtype);

// The weights of bytes, in fixed point: output i is the sum of weight[i * taps + k] times input
// first[i] + k, over k < taps, rounded at `shift` bits. Without taps, the axis is copied.
struct ByteAxis {
  int64_t taps = 0;
  int64_t size = 0; // the input has this many elements
  int shift = 0;
  std::vector<int64_t> first;
  std::vector<int16_t> weight;
};

// Interpolates `planes` images of bytes with adjacent channels: the columns, rounded to bytes, then
// the rows.
struct ByteImages {
  int64_t planes, in_h, in_w, out_h, out_w, channels;
  ByteAxis rows, columns;
};
DECLARE_DISPATCH(void (*)(const ByteImages&, const uint8_t* in, uint8_t* out), mix_bytes_stub);

// Interpolates over the last two dimensions of bytes on a CPU. The axes are those for double.
void interpolate_bytes(
    const Tensor& in, const Tensor& out, const WeightedAxis& rows, const WeightedAxis& columns);

} // namespace at::native
