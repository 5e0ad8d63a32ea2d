#pragma once

#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Converts `Lane` to `To` by the rules for tensors; see ATen/ScalarValue.h.
template <typename To, typename V>
C10_ALWAYS_INLINE auto convert_to(V value) {
  using From = vec::element_of<V>;
  if constexpr (std::is_same_v<To, bool>) {
    return vec::to_bool(value != V{});
  } else if constexpr (std::is_same_v<vec::lane_type<To>, From>) {
    return value;
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
