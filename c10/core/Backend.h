#pragma once

#include <c10/core/DispatchKeySet.h>

namespace c10 {

// The functionalities that are kinds of data, and the back ends that are functionalities of their
// own: what a Backend may name.
#define C10_FORALL_TENSOR_FUNCTIONALITIES(_) \
  _(Dense, )                                 \
  _(Quantized, Quantized)                    \
  _(Sparse, Sparse)                          \
  _(SparseCsr, SparseCsr)
#define C10_FORALL_LONE_BACKENDS(_) _(FPGA) _(Vulkan) _(Metal) _(MkldnnCPU)

// The old name for a device type together with a layout.
enum class Backend {
#define C10_BACKEND(backend, prefix) prefix##backend,
#define C10_BACKENDS(functionality, prefix) C10_FORALL_BACKEND_COMPONENTS(C10_BACKEND, prefix)
  C10_FORALL_TENSOR_FUNCTIONALITIES(C10_BACKENDS)
#undef C10_BACKENDS
#undef C10_BACKEND
#define C10_BACKEND(backend) backend,
      C10_FORALL_LONE_BACKENDS(C10_BACKEND)
#undef C10_BACKEND
          Undefined,
  NumOptions
};

C10_API const char* toString(Backend backend);

// Autograd keys count as their back end's dense tensors.
constexpr Backend dispatchKeyToBackend(DispatchKey key) {
  if (toFunctionalityKey(key) == DispatchKey::AutogradFunctionality) {
    key = toRuntimePerBackendFunctionalityKey(DispatchKey::Dense, toBackendComponent(key));
  }
  switch (key) {
#define C10_BACKEND(backend, prefix) \
  case DispatchKey::prefix##backend: \
    return Backend::prefix##backend;
#define C10_BACKENDS(functionality, prefix) C10_FORALL_BACKEND_COMPONENTS(C10_BACKEND, prefix)
    C10_FORALL_TENSOR_FUNCTIONALITIES(C10_BACKENDS)
#undef C10_BACKENDS
#undef C10_BACKEND
#define C10_BACKEND(backend) \
  case DispatchKey::backend: \
    return Backend::backend;
    C10_FORALL_LONE_BACKENDS(C10_BACKEND)
#undef C10_BACKEND
    default:
      return Backend::Undefined;
  }
}

constexpr DispatchKey backendToDispatchKey(Backend backend) {
  switch (backend) {
#define C10_BACKEND(backend, prefix) \
  case Backend::prefix##backend:     \
    return DispatchKey::prefix##backend;
#define C10_BACKENDS(functionality, prefix) C10_FORALL_BACKEND_COMPONENTS(C10_BACKEND, prefix)
    C10_FORALL_TENSOR_FUNCTIONALITIES(C10_BACKENDS)
#undef C10_BACKENDS
#undef C10_BACKEND
#define C10_BACKEND(backend) \
  case Backend::backend:     \
    return DispatchKey::backend;
    C10_FORALL_LONE_BACKENDS(C10_BACKEND)
#undef C10_BACKEND
    default:
      return DispatchKey::Undefined;
  }
}

} // namespace c10
