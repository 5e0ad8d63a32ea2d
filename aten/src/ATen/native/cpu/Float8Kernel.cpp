// Conversions between float and the 8-bit floats, in loops that the compiler vectorizes.

#include <ATen/native/Float8.h>

#include <ATen/Dispatch.h>
#include <c10/util/Float8.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T>
struct Codec {
  static void decode(const uint8_t* __restrict codes, float* __restrict values, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      values[i] = T(codes[i], T::from_bits());
    }
  }
  static void encode(const float* __restrict values, uint8_t* __restrict codes, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      codes[i] = T(values[i]).x;
    }
  }
  static constexpr Float8Codec codec{&decode, &encode};
};

const Float8Codec* find_codec(ScalarType dtype) {
  switch (dtype) {
#define AT_CODEC_CASE(type, name, number) \
  case ScalarType::name:                  \
    return &Codec<type>::codec;
    C10_FORALL_FLOAT8_TYPES(AT_CODEC_CASE)
#undef AT_CODEC_CASE
    default:
      at::detail::dispatch_unsupported("copy_", dtype);
  }
}

} // namespace

REGISTER_DISPATCH(float8_codec_stub, &find_codec)

} // namespace CPU_CAPABILITY
} // namespace at::native
