#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/DispatchKey.h>

namespace c10 {

// The older name for a pair of device type and layout. Only the dense ones exist.
enum class Backend { CPU, CUDA, Meta, PrivateUse1, Undefined, NumOptions };

C10_API const char* toString(Backend backend);

constexpr Backend dispatchKeyToBackend(DispatchKey key) {
  switch (key) {
    case DispatchKey::CPU:
    case DispatchKey::AutogradCPU:
      return Backend::CPU;
    case DispatchKey::CUDA:
    case DispatchKey::AutogradCUDA:
      return Backend::CUDA;
    case DispatchKey::Meta:
    case DispatchKey::AutogradMeta:
      return Backend::Meta;
    case DispatchKey::PrivateUse1:
    case DispatchKey::AutogradPrivateUse1:
      return Backend::PrivateUse1;
    default:
      return Backend::Undefined;
  }
}

} // namespace c10
