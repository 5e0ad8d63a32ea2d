#include <ATen/native/cpu/ConvertLoops.h>
#include <ATen/native/cpu/ConvertSources.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Signed and unsigned targets get the same bits.
void convert_to_integral(TensorIterator& iter) {
  switch (iter.dtype(0)) {
    case kBool:
      return convert_from_any<bool>(iter);
    case kByte:
    case kChar:
      return convert_from_any<int8_t>(iter);
    case kShort:
      return convert_from_any<int16_t>(iter);
    case kInt:
      return convert_from_any<int32_t>(iter);
    default:
      return convert_from_any<int64_t>(iter);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
