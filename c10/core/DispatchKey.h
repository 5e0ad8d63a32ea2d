#pragma once

#include <c10/core/DeviceType.h>
#include <c10/macros/Macros.h>

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace c10 {

// Runtime keys in order of priority: a call runs the kernel of the highest key in its key set. Each
// key but Undefined owns one bit of a DispatchKeySet. Alias keys come after EndOfRuntimeKeys; they
// exist only in registrations and expand to the runtime keys they stand for.
enum class DispatchKey : uint16_t {
  Undefined = 0,
  CatchAll = Undefined,

  CPU,
  CUDA,
  Meta,
  PrivateUse1,
  EndOfBackendKeys = PrivateUse1,

  BackendSelect,
  Python,
  ADInplaceOrView,
  AutogradOther,
  AutogradCPU,
  AutogradCUDA,
  AutogradMeta,
  AutogradPrivateUse1,
  Tracer,
  AutocastCPU,
  AutocastCUDA,
  EndOfRuntimeKeys,

  Autograd,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  CompositeExplicitAutogradNonFunctional,
  EndOfAliasKeys,
};

constexpr uint16_t kNumRuntimeKeys = static_cast<uint16_t>(DispatchKey::EndOfRuntimeKeys);

constexpr bool isAliasDispatchKey(DispatchKey key) {
  return key > DispatchKey::EndOfRuntimeKeys;
}
constexpr bool isBackendDispatchKey(DispatchKey key) {
  return key > DispatchKey::Undefined && key <= DispatchKey::EndOfBackendKeys;
}

C10_API const char* toString(DispatchKey key);
C10_API std::ostream& operator<<(std::ostream& out, DispatchKey key);
C10_API DispatchKey parseDispatchKey(std::string_view name);

constexpr DispatchKey dispatch_key_of(DeviceType type) {
  switch (type) {
    case DeviceType::CPU:
      return DispatchKey::CPU;
    case DeviceType::CUDA:
      return DispatchKey::CUDA;
    case DeviceType::Meta:
      return DispatchKey::Meta;
    case DeviceType::PrivateUse1:
      return DispatchKey::PrivateUse1;
    default:
      return DispatchKey::Undefined;
  }
}

} // namespace c10

namespace torch {
using c10::DispatchKey;
constexpr DispatchKey kAutograd = DispatchKey::Autograd;
} // namespace torch
