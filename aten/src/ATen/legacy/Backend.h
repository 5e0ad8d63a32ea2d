#pragma once

#include <c10/core/DispatchKey.h>
#include <c10/core/Layout.h>
#include <c10/macros/Export.h>

// The back ends and element types that have a class each: CPUFloatType, SparseCUDALongType. The
// generator reads these lists (tools/legacy_types/model.py).

// A back end's name, the key of its kernels, its device type and its layout.
#define AT_FORALL_CPU_TYPE_BACKENDS(_) \
  _(CPU, CPU, CPU, Strided)            \
  _(SparseCPU, SparseCPU, CPU, Sparse)
#define AT_FORALL_CUDA_TYPE_BACKENDS(_) \
  _(CUDA, CUDA, CUDA, Strided)          \
  _(SparseCUDA, SparseCUDA, CUDA, Sparse)
// Back ends whose kernels are all an extension's. MSNPU is the older name of the device type MAIA.
#define AT_FORALL_EXTENSION_TYPE_BACKENDS(_) \
  _(MSNPU, MAIA, MAIA, Strided)              \
  _(XLA, XLA, XLA, Strided)
#define AT_FORALL_TYPE_BACKENDS(_) \
  AT_FORALL_CPU_TYPE_BACKENDS(_)   \
  AT_FORALL_CUDA_TYPE_BACKENDS(_)  \
  AT_FORALL_EXTENSION_TYPE_BACKENDS(_)

#define AT_FORALL_TYPE_SCALAR_TYPES(_) \
  _(Bool)                              \
  _(Byte)                              \
  _(Char)                              \
  _(Short)                             \
  _(Int)                               \
  _(Long)                              \
  _(Half)                              \
  _(BFloat16)                          \
  _(Float)                             \
  _(Double)                            \
  _(ComplexFloat)                      \
  _(ComplexDouble)

namespace at::legacy {

// The back ends of types. at::Backend has more of them, and other names for some.
enum class Backend {
#define AT_BACKEND(name, key, device, layout) name,
  AT_FORALL_TYPE_BACKENDS(AT_BACKEND)
#undef AT_BACKEND
      Undefined,
  NumOptions = Undefined,
};

TORCH_API const char* toString(Backend backend);
// Undefined for a key that no back end has.
TORCH_API Backend backend_of(c10::DispatchKey key);
TORCH_API c10::DispatchKey dispatch_key_of(Backend backend);
TORCH_API c10::DeviceType device_type_of(Backend backend);
TORCH_API c10::Layout layout_of(Backend backend);

} // namespace at::legacy
