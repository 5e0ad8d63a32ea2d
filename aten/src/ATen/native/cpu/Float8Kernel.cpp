// Conversions between float and narrower floats. The compiler vectorizes those of the 8-bit floats.

#include <ATen/native/Float8.h>

#include <ATen/Dispatch.h>
#include <ATen/cpu/vec/vec_memory.h>
#include <c10/util/Float8.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T>
struct Float8Codec {
  static void decode(const void* numbers, float* __restrict values, int64_t n) {
    const auto* __restrict codes = static_cast<const uint8_t*>(numbers);
    for (int64_t i = 0; i < n; ++i) {
      values[i] = T(codes[i], T::from_bits());
    }
  }
  static void encode(const float* __restrict values, void* numbers, int64_t n) {
    auto* __restrict codes = static_cast<uint8_t*>(numbers);
    for (int64_t i = 0; i < n; ++i) {
      codes[i] = T(values[i]).x;
    }
  }
  static constexpr FloatCodec codec{&decode, &encode};
};

// T is one of the 16-bit floats.
template <typename T>
struct HalfCodec {
  static constexpr int kWidth = vec::kVectorBytes / sizeof(float);

  static void decode(const void* numbers, float* values, int64_t n) {
    const auto* from = static_cast<const T*>(numbers);
    int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      vec::store<float, kWidth>(values + i, vec::load<T, kWidth>(from + i));
    }
    for (; i < n; ++i) {
      values[i] = from[i];
    }
  }
  static void encode(const float* values, void* numbers, int64_t n) {
    auto* to = static_cast<T*>(numbers);
    int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      vec::store<T, kWidth>(to + i, vec::load<float, kWidth>(values + i));
    }
    for (; i < n; ++i) {
      to[i] = values[i];
    }
  }
  static constexpr FloatCodec codec{&decode, &encode};
};

const FloatCodec* find_codec(ScalarType dtype) {
  switch (dtype) {
#define AT_CODEC_CASE(type, name, number) \
  case ScalarType::name:                  \
    return &Float8Codec<type>::codec;
    C10_FORALL_FLOAT8_TYPES(AT_CODEC_CASE)
#undef AT_CODEC_CASE
    case kHalf:
      return &HalfCodec<c10::Half>::codec;
    case kBFloat16:
      return &HalfCodec<c10::BFloat16>::codec;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(float_codec_stub, &find_codec)

} // namespace CPU_CAPABILITY
} // namespace at::native
