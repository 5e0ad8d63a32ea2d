// Numbers as bytes with one scale and one zero point, and back.

#include <ATen/native/QuantizedProduct.h>

#include <ATen/Parallel.h>
#include <ATen/ops/_dequantize_for_cpu_native.h>
#include <ATen/ops/_quantize_to_bytes_for_cpu_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty_like.h>

namespace at::native {

DEFINE_DISPATCH(quantize_bytes_stub);
DEFINE_DISPATCH(dequantize_bytes_stub);
DEFINE_DISPATCH(float_range_stub);

namespace {

// Elements that are worth another thread.
constexpr int64_t kGrain = 2 * at::internal::GRAIN_SIZE;

Tensor without_gaps(const Tensor& input) {
  return input.is_non_overlapping_and_dense() ? input : at::clone(input);
}

} // namespace

int32_t checked_byte_point(int64_t zero_point) {
  TORCH_CHECK(
      zero_point == static_cast<int16_t>(zero_point), "expected a zero point of 16 bits, got ",
      zero_point);
  return static_cast<int32_t>(zero_point);
}

Tensor _quantize_to_bytes_for_cpu(
    const Tensor& input, double scale, int64_t zero_point, bool rounds_first) {
  TORCH_CHECK(
      input.scalar_type() == ScalarType::Float, "expected an input of dtype float32, got ",
      input.scalar_type());
  const int32_t point = checked_byte_point(zero_point);
  const int32_t before = rounds_first ? 0 : point, after = rounds_first ? point : 0;
  const Tensor numbers = without_gaps(input);
  const Tensor result = at::empty_like(numbers, numbers.options().dtype(ScalarType::Byte));
  if (!input.is_meta()) {
    const float inverse = 1.0f / static_cast<float>(scale);
    const auto* const from = numbers.const_data_ptr<float>();
    auto* const to = result.mutable_data_ptr<uint8_t>();
    at::parallel_for(0, numbers.numel(), kGrain, [&](int64_t begin, int64_t end) {
      quantize_bytes_stub.on_host(from + begin, end - begin, inverse, before, after, to + begin);
    });
  }
  return result;
}

Tensor _dequantize_for_cpu(const Tensor& input, double scale, int64_t zero_point) {
  const bool is_signed = input.scalar_type() == ScalarType::Char;
  TORCH_CHECK(
      is_signed || input.scalar_type() == ScalarType::Byte,
      "expected an input of dtype int8 or uint8, got ", input.scalar_type());
  const Tensor integers = input.contiguous(input.suggest_memory_format());
  const Tensor result = at::empty_like(integers, integers.options().dtype(ScalarType::Float));
  if (!input.is_meta()) {
    const auto factor = static_cast<float>(scale), point = static_cast<float>(zero_point);
    const void* const from = integers.const_data_ptr();
    auto* const to = result.mutable_data_ptr<float>();
    at::parallel_for(0, integers.numel(), kGrain, [&](int64_t begin, int64_t end) {
      dequantize_bytes_stub.on_host(from, is_signed, begin, end, factor, point, to);
    });
  }
  return result;
}

} // namespace at::native
