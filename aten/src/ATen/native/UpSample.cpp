#include <ATen/native/UpSample.h>

#include <algorithm>
#include <cmath>

namespace at::native {

namespace {

void check_dims(IntArrayRef input, IntArrayRef output, int64_t dims) {
  TORCH_CHECK(
      static_cast<int64_t>(output.size()) == dims, "It is expected output_size equals to ", dims,
      ", but got size ", output.size());
  TORCH_CHECK(
      static_cast<int64_t>(input.size()) == dims + 2, "It is expected input_size equals to ",
      dims + 2, ", but got size ", input.size());
  for (size_t d = 2; d < input.size(); ++d) {
    TORCH_CHECK(
        input[d] > 0 && output[d - 2] > 0,
        "Input and output sizes should be greater than 0, but got input ", input.slice(2),
        " output ", output);
  }
}

template <typename T>
T scale_of(int64_t in, int64_t out, std::optional<double> factor) {
  return factor.has_value() && *factor > 0 ? static_cast<T>(1.0 / *factor)
                                           : static_cast<T>(in) / static_cast<T>(out);
}

template <typename T>
AxisMap linear_axis_in(int64_t in, int64_t out, std::optional<double> factor, bool align_corners) {
  const T scale = !align_corners ? scale_of<T>(in, out, factor)
      : out > 1                  ? static_cast<T>(in - 1) / static_cast<T>(out - 1)
                                 : T(0);
  AxisMap map;
  for (int64_t i = 0; i < out; ++i) {
    T at =
        align_corners ? scale * static_cast<T>(i) : scale * (static_cast<T>(i) + T(0.5)) - T(0.5);
    at = in == out ? static_cast<T>(i) : std::max(at, T(0));
    const int64_t first = std::min(static_cast<int64_t>(at), in - 1);
    map.first.push_back(first);
    map.second.push_back(std::min(first + 1, in - 1));
    map.by.push_back(std::clamp(at - static_cast<T>(first), T(0), T(1)));
  }
  return map;
}

} // namespace

c10::DimVector upsample_sizes(IntArrayRef input, IntArrayRef output, int64_t dims) {
  check_dims(input, output, dims);
  TORCH_CHECK(
      c10::multiply_integers(input.slice(1)) > 0, "Non-empty ", dims + 2,
      "D data tensor expected but got a tensor with sizes ", input);
  c10::DimVector sizes = {input[0], input[1]};
  sizes.append(output.begin(), output.end());
  return sizes;
}

c10::DimVector upsample_backward_sizes(
    const Tensor& grad, IntArrayRef output, IntArrayRef input, int64_t dims) {
  const c10::DimVector expected = upsample_sizes(input, output, dims);
  TORCH_CHECK(
      grad.sizes() == IntArrayRef(expected), "Expected grad_output to have sizes ",
      IntArrayRef(expected), ", but got ", grad.sizes());
  return c10::DimVector(input);
}

c10::DimVector upsample_output_sizes(
    IntArrayRef input, OptionalIntArrayRef sizes,
    const std::optional<ArrayRef<double>>& scale_factors) {
  TORCH_CHECK(
      sizes.has_value() != scale_factors.has_value(),
      "Must specify exactly one of output_size and scale_factors");
  TORCH_CHECK(input.size() >= 2, "Expected an input (N, C, ...), but got size ", input);
  const size_t dims = input.size() - 2;
  if (sizes.has_value()) {
    TORCH_CHECK(
        sizes->size() == dims, "Expected an output size for each of ", dims,
        " dimensions, but got ", *sizes);
    return c10::DimVector(*sizes);
  }
  TORCH_CHECK(
      scale_factors->size() == dims, "Expected a scale factor for each of ", dims,
      " dimensions, but got ", scale_factors->size());
  c10::DimVector result;
  for (size_t d = 0; d < dims; ++d) {
    result.push_back(static_cast<int64_t>(static_cast<double>(input[d + 2]) * (*scale_factors)[d]));
  }
  return result;
}

std::optional<double> scale_at(const std::optional<ArrayRef<double>>& scale_factors, size_t at) {
  return scale_factors.has_value() ? std::optional<double>((*scale_factors)[at]) : std::nullopt;
}

AxisMap nearest_axis(int64_t in, int64_t out, std::optional<double> factor, bool exact) {
  const float scale = scale_of<float>(in, out, factor);
  AxisMap map;
  for (int64_t i = 0; i < out; ++i) {
    const float at = (static_cast<float>(i) + (exact ? 0.5f : 0.0f)) * scale;
    map.first.push_back(std::min(static_cast<int64_t>(std::floor(at)), in - 1));
  }
  return map;
}

AxisMap linear_axis(
    int64_t in, int64_t out, std::optional<double> factor, bool align_corners, ScalarType dtype) {
  return dtype == kDouble ? linear_axis_in<double>(in, out, factor, align_corners)
                          : linear_axis_in<float>(in, out, factor, align_corners);
}

} // namespace at::native
