#pragma once

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

// The choice of a scale and a zero point with which unsigned integers cover a range of numbers: the
// rule of torch/_quantized/_parameters.py, for a least integer of 0.

namespace at::native {

struct ByteParameters {
  double scale;
  int32_t zero_point;
};

inline ByteParameters byte_parameters(float least, float greatest, int32_t quant_max) {
  TORCH_CHECK(
      least <= greatest,
      "In ChooseQuantizationParams, min should be less than or equal to max, got ", least, " > ",
      greatest);
  constexpr double kSmallestScale = 6.0999998822808266e-05f; // smaller ones lose precision
  double low = std::min(least, 0.0f), high = std::max(greatest, 0.0f);
  double scale = (high - low) / quant_max;
  if (static_cast<float>(scale) == 0.0f || std::isinf(1.0f / static_cast<float>(scale))) {
    scale = 0.1;
  }
  if (scale < kSmallestScale) {
    const double factor = kSmallestScale / scale;
    if (low == 0.0) {
      high = static_cast<float>(kSmallestScale * quant_max);
    } else if (high == 0.0) {
      low = static_cast<float>(-kSmallestScale * quant_max);
    } else {
      low = static_cast<float>(low * factor);
      high = static_cast<float>(high * factor);
    }
    scale = kSmallestScale;
  }
  // Zero is exact: the end of the range that is nearer to its integer decides.
  const bool from_low = -std::abs(low / scale) < quant_max - std::abs(high / scale);
  const double point = from_low ? -low / scale : quant_max - high / scale;
  const double whole = std::clamp<double>(std::nearbyint(point), 0, quant_max);
  return {scale, static_cast<int32_t>(whole)};
}

} // namespace at::native
