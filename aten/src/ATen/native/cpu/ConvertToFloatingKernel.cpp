#include <ATen/native/cpu/ConvertLoops.h>
#include <ATen/native/cpu/ConvertSources.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

void convert_to_floating(TensorIterator& iter) {
  for_floating(iter.dtype(0), "copy_", [&]<typename T>(T) { convert_from_any<T>(iter); });
}

} // namespace CPU_CAPABILITY
} // namespace at::native
