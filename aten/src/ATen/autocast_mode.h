#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/ScalarType.h>

#include <array>
#include <vector>

// Automatic mixed precision. While it is on for a device type, a thread's calls have that type's
// Autocast key; the kernels of that key cast their floating-point arguments and call the operator
// again. Operators without such a kernel are unchanged. While it is off, the key is in no call.
namespace at::autocast {

// Device types that autocast exists for. Operators with kernels are those of CPU and CUDA.
#define C10_AUTOCAST_TYPE(backend) DeviceType::backend,
inline constexpr std::array supported_device_types = {
    C10_FORALL_AUTOCAST_BACKENDS(C10_AUTOCAST_TYPE)};
#undef C10_AUTOCAST_TYPE

constexpr bool is_autocast_available(DeviceType type) {
  for (const DeviceType each : supported_device_types) {
    if (each == type) {
      return true;
    }
  }
  return false;
}

// ---- the state of this thread. Functions that take a device type raise for unsupported ones.

TORCH_API bool is_autocast_enabled(DeviceType type);
TORCH_API void set_autocast_enabled(DeviceType type, bool enabled);
TORCH_API bool is_any_autocast_enabled();

TORCH_API ScalarType get_autocast_dtype(DeviceType type);
TORCH_API void set_autocast_dtype(DeviceType type, ScalarType dtype);

// The depth of nested regions; the cache of casts lives until the outermost one ends.
TORCH_API int increment_nesting();
TORCH_API int decrement_nesting();

// ---- casts

// Casts of float32 leaves that require gradients (weights) to the lower precision are kept, so that
// a weight that several calls of a region use is cast once.
TORCH_API bool is_autocast_cache_enabled();
TORCH_API void set_autocast_cache_enabled(bool enabled);
TORCH_API void clear_cache();

// Whether autocast may change the tensor's dtype: floating-point, not float64, on a device of the
// type.
TORCH_API bool is_eligible(const Tensor& tensor, DeviceType type);

TORCH_API Tensor cached_cast(ScalarType dtype, const Tensor& tensor, DeviceType type);
TORCH_API std::vector<Tensor> cached_cast(ScalarType dtype, TensorList tensors, DeviceType type);

// The wider one of `current` and the tensor's dtype, for operators whose arguments must have one
// dtype. Tensors that are not eligible do not count.
TORCH_API ScalarType prioritize(ScalarType current, const Tensor& tensor, DeviceType type);

} // namespace at::autocast
