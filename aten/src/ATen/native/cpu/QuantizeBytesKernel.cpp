#include <ATen/native/QuantizedProduct.h>
#include <ATen/native/cpu/ByteLanes.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr int kWide = kLanes<float>;

void quantize_bytes(
    const float* from, int64_t count, float inverse_scale, int32_t added_before,
    int32_t added_after, uint8_t* to) {
  constexpr int kStep = kLanes<uint8_t>;
  const Numbers factor = splat(inverse_scale);
  const Numbers before = splat(static_cast<float>(added_before));
  const Numbers high = splat(static_cast<float>(255 - added_after));
  const auto quantized = [&](const float* numbers) {
    Integers integers[kRegistersOfBytes];
#pragma GCC unroll 4
    for (int i = 0; i < kRegistersOfBytes; ++i) {
      const Numbers x = load_lanes<float>(numbers + i * kWide);
      integers[i] = nearest(lesser(rounded_once(x, factor, before), high)); // NaN becomes `high`
    }
    return saturated_bytes<ByteOrder::kConsecutive>(integers, added_after);
  };
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    save_lanes<uint8_t, uint8_t>(to + i, quantized(from + i));
  }
  if (i < count) {
    float rest[kStep] = {};
    std::copy_n(from + i, count - i, rest);
    save_up_to<uint8_t, uint8_t>(to + i, quantized(rest), count - i);
  }
}

template <class Byte>
void dequantize(const Byte* from, int64_t count, float scale, float zero_point, float* to) {
  const auto number = [&](const Byte* bytes) {
    return (at::vec::convert_lanes<float>(load_widened(bytes)) - zero_point) * scale;
  };
  int64_t i = 0;
  for (; i + kWide <= count; i += kWide) {
    save_lanes<float, float>(to + i, number(from + i));
  }
  if (i < count) {
    Byte rest[kWide] = {};
    std::copy_n(from + i, count - i, rest);
    save_up_to<float, float>(to + i, number(rest), count - i);
  }
}

void dequantize_bytes(
    const void* from, bool is_signed, int64_t first, int64_t last, float scale, float zero_point,
    float* to) {
  if (is_signed) {
    dequantize(
        static_cast<const int8_t*>(from) + first, last - first, scale, zero_point, to + first);
  } else {
    dequantize(
        static_cast<const uint8_t*>(from) + first, last - first, scale, zero_point, to + first);
  }
}

FloatRange float_range(const float* from, int64_t count) {
  constexpr int kChains = 4; // hide the latency of one
  Numbers low[kChains], high[kChains];
  std::fill_n(low, kChains, splat<float>(from[0]));
  std::fill_n(high, kChains, splat<float>(from[0]));
  const auto visit = [&](int chain, Numbers x) {
    low[chain] = -lane_max(-low[chain], -x);
    high[chain] = lane_max(high[chain], x);
  };
  int64_t i = 0;
  for (; i + kChains * kWide <= count; i += kChains * kWide) {
#pragma GCC unroll 4
    for (int chain = 0; chain < kChains; ++chain) {
      visit(chain, load_lanes<float>(from + i + chain * kWide));
    }
  }
  for (; i < count; i += kWide) {
    visit(0, load_up_to<float>(from + i, count - i, from[0]));
  }
  for (int chain = 1; chain < kChains; ++chain) {
    low[0] = -lane_max(-low[0], -low[chain]);
    high[0] = lane_max(high[0], high[chain]);
  }
  const auto least = [](float a, float b) { return a < b || a != a ? a : b; };
  const auto greatest = [](float a, float b) { return a > b || a != a ? a : b; };
  return {fold_lanes<float>(low[0], least), fold_lanes<float>(high[0], greatest)};
}

} // namespace

REGISTER_DISPATCH(quantize_bytes_stub, &quantize_bytes)
REGISTER_DISPATCH(dequantize_bytes_stub, &dequantize_bytes)
REGISTER_DISPATCH(float_range_stub, &float_range)

} // namespace CPU_CAPABILITY
} // namespace at::native
