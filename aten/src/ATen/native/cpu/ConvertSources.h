#pragma once

#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <cstring>
#include <type_traits>

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(__AVX2__)

// Bytes as floats, a register of floats at a time: compilers widen bytes step by step instead.
// Masked forms avoid GCC's warnings about the undefined operand of the others.
template <typename V>
C10_ALWAYS_INLINE auto floats_of_bytes(V bytes) {
  constexpr int kCount = vec::lanes_of<V>, kPart = vec::kVectorBytes / 4;
  constexpr bool kSigned = std::is_signed_v<vec::element_of<V>>;
  vec::Lanes<float, kCount> result;
  for (int i = 0; i < kCount; i += kPart) {
    const char* const from = reinterpret_cast<const char*>(&bytes) + i;
#if defined(__AVX512F__)
    __m128i part;
    std::memcpy(&part, from, sizeof(part));
    constexpr __mmask16 kAll = 0xffff;
    const __m512i wide =
        kSigned ? _mm512_maskz_cvtepi8_epi32(kAll, part) : _mm512_maskz_cvtepu8_epi32(kAll, part);
    const __m512 floats = _mm512_maskz_cvtepi32_ps(kAll, wide);
#else
    const __m128i part = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    const __m256i wide = kSigned ? _mm256_cvtepi8_epi32(part) : _mm256_cvtepu8_epi32(part);
    const __m256 floats = _mm256_cvtepi32_ps(wide);
#endif
    std::memcpy(reinterpret_cast<float*>(&result) + i, &floats, sizeof(floats));
  }
  return result;
}

template <typename To, typename V>
inline constexpr bool is_floats_of_bytes =
    std::is_same_v<To, float>&& std::is_integral_v<vec::element_of<V>> &&
    sizeof(vec::element_of<V>) == 1 && vec::lanes_of<V> * 4 % vec::kVectorBytes == 0;

#else

template <typename V>
V floats_of_bytes(V bytes); // not called
template <typename To, typename V>
inline constexpr bool is_floats_of_bytes = false;

#endif

// Converts `Lane` to `To` by the rules for tensors; see ATen/ScalarValue.h.
template <typename To, typename V>
C10_ALWAYS_INLINE auto convert_to(V value) {
  using From = vec::element_of<V>;
  if constexpr (std::is_same_v<To, bool>) {
    return vec::to_bool(value != V{});
  } else if constexpr (std::is_same_v<vec::lane_type<To>, From>) {
    return value;
  } else if constexpr (is_floats_of_bytes<To, V>) {
    return floats_of_bytes(value);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < 4) {
    return vec::convert_lanes<To>(vec::convert_lanes<int32_t>(value));
  } else {
    return vec::convert_lanes<vec::lane_type<To>>(value);
  }
}

template <typename To, typename From>
void convert_loop(TensorIteratorBase& iter) {
  vec_kernel<To(From)>(iter, [](auto value) { return convert_to<To>(value); });
}

template <typename To>
void convert_from_any(TensorIteratorBase& iter) {
  switch (iter.dtype(1)) {
    case kBool:
    case kByte:
      return convert_loop<To, uint8_t>(iter);
    case kChar:
      return convert_loop<To, int8_t>(iter);
    case kShort:
      return convert_loop<To, int16_t>(iter);
    case kInt:
      return convert_loop<To, int32_t>(iter);
    case kLong:
      return convert_loop<To, int64_t>(iter);
    case kHalf:
      return convert_loop<To, c10::Half>(iter);
    case kBFloat16:
      return convert_loop<To, c10::BFloat16>(iter);
    case kFloat:
      return convert_loop<To, float>(iter);
    case kDouble:
      return convert_loop<To, double>(iter);
    default:
      at::detail::dispatch_unsupported("copy_", iter.dtype(1));
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
