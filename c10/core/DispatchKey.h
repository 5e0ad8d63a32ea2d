#pragma once

#include <c10/core/DeviceType.h>
#include <c10/macros/Macros.h>

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace c10 {

// The lists below are where back ends and dispatch keys are declared. The enumerators, their names
// and order, the key sets, parsing, registration and the tables of every operator follow from them,
// and the generator reads them from this file (tools/codegen/keys.py).

// Back ends, from the lowest priority to the highest. In a call whose arguments are on several, the
// kernel of the highest runs. Each owns one of the low bits of a DispatchKeySet.
#define C10_FORALL_BACKEND_COMPONENTS(_, extra) \
  _(CPU, extra)                                 \
  _(CUDA, extra)                                \
  _(HIP, extra)                                 \
  _(XLA, extra)                                 \
  _(MPS, extra)                                 \
  _(IPU, extra)                                 \
  _(XPU, extra)                                 \
  _(HPU, extra)                                 \
  _(VE, extra)                                  \
  _(Lazy, extra)                                \
  _(MTIA, extra)                                \
  _(MAIA, extra)                                \
  _(PrivateUse1, extra)                         \
  _(PrivateUse2, extra)                         \
  _(PrivateUse3, extra)                         \
  _(Meta, extra)

// Functionalities of which every back end has its own, and what their keys are called: the key
// SparseCPU is the functionality Sparse on the back end CPU.
#define C10_FORALL_FUNCTIONALITY_KEYS(_) \
  _(Dense, )                             \
  _(Quantized, Quantized)                \
  _(Sparse, Sparse)                      \
  _(SparseCsr, SparseCsr)                \
  _(NestedTensor, NestedTensor)          \
  _(AutogradFunctionality, Autograd)

// All functionalities, from the lowest priority to the highest; those of the list above in place.
// A call runs the kernel of its highest functionality. Each owns one of the high bits of a
// DispatchKeySet.
#define C10_FORALL_FUNCTIONALITIES(_) \
  _(Dense)                            \
  _(FPGA)                             \
  _(Vulkan)                           \
  _(Metal)                            \
  _(Quantized)                        \
  _(CustomRNGKeyId)                   \
  _(MkldnnCPU)                        \
  _(Sparse)                           \
  _(SparseCsr)                        \
  _(NestedTensor)                     \
  _(BackendSelect)                    \
  _(Python)                           \
  _(Fake)                             \
  _(FuncTorchDynamicLayerBackMode)    \
  _(Functionalize)                    \
  _(Named)                            \
  _(Conjugate)                        \
  _(Negative)                         \
  _(ZeroTensor)                       \
  _(ADInplaceOrView)                  \
  _(AutogradOther)                    \
  _(AutogradFunctionality)            \
  _(AutogradNestedTensor)             \
  _(Tracer)                           \
  _(AutocastCPU)                      \
  _(AutocastMTIA)                     \
  _(AutocastMAIA)                     \
  _(AutocastXPU)                      \
  _(AutocastIPU)                      \
  _(AutocastHPU)                      \
  _(AutocastXLA)                      \
  _(AutocastMPS)                      \
  _(AutocastCUDA)                     \
  _(AutocastPrivateUse1)              \
  _(FuncTorchBatched)                 \
  _(BatchedNestedTensor)              \
  _(FuncTorchVmapMode)                \
  _(Batched)                          \
  _(VmapMode)                         \
  _(FuncTorchGradWrapper)             \
  _(DeferredInit)                     \
  _(PythonTLSSnapshot)                \
  _(FuncTorchDynamicLayerFrontMode)   \
  _(TESTING_ONLY_GenericWrapper)      \
  _(TESTING_ONLY_GenericMode)         \
  _(PreDispatch)                      \
  _(PythonDispatcher)

// Back ends with an autocast key.
#define C10_FORALL_AUTOCAST_BACKENDS(_) \
  _(CPU) _(MTIA) _(MAIA) _(XPU) _(IPU) _(HPU) _(XLA) _(MPS) _(CUDA) _(PrivateUse1)

// Keys that exist only in registrations, which they spread over the runtime keys they stand for.
#define C10_FORALL_ALIAS_KEYS(_)           \
  _(Autograd)                              \
  _(CompositeImplicitAutograd)             \
  _(FuncTorchBatchedDecomposition)         \
  _(CompositeImplicitAutogradNestedTensor) \
  _(CompositeExplicitAutograd)             \
  _(CompositeExplicitAutogradNonFunctional)

enum class BackendComponent : uint8_t {
  InvalidBit = 0,
#define C10_COMPONENT(backend, _) backend##Bit,
  C10_FORALL_BACKEND_COMPONENTS(C10_COMPONENT, _)
#undef C10_COMPONENT
      EndOfBackendKeys = MetaBit,
};

// First the functionalities, then the runtime keys of each that back ends have their own of, then
// the aliases. A functionality that back ends have their own of (Dense) is not itself the key of
// any kernel; its runtime keys (CPU, CUDA, ...) are.
enum class DispatchKey : uint16_t {
  Undefined = 0,
  CatchAll = Undefined,
#define C10_FUNCTIONALITY(name) name,
  C10_FORALL_FUNCTIONALITIES(C10_FUNCTIONALITY)
#undef C10_FUNCTIONALITY
      EndOfFunctionalityKeys,

#define C10_RUNTIME_KEY(backend, prefix) prefix##backend,
#define C10_RUNTIME_KEYS(functionality, prefix)                                               \
  StartOf##functionality##Backends,                                                           \
      C10_FORALL_BACKEND_COMPONENTS(C10_RUNTIME_KEY, prefix) EndOf##functionality##Backends = \
          prefix##Meta,
  C10_FORALL_FUNCTIONALITY_KEYS(C10_RUNTIME_KEYS)
#undef C10_RUNTIME_KEYS
#undef C10_RUNTIME_KEY
      EndOfRuntimeBackendKeys = EndOfAutogradFunctionalityBackends,

#define C10_ALIAS_KEY(name) name,
  C10_FORALL_ALIAS_KEYS(C10_ALIAS_KEY)
#undef C10_ALIAS_KEY
      EndOfAliasKeys = CompositeExplicitAutogradNonFunctional,
  StartOfAliasKeys = Autograd,

  // Old names.
  CPUTensorId = CPU,
  CUDATensorId = CUDA,
  DefaultBackend = CompositeExplicitAutograd,
  PrivateUse1_PreAutograd = AutogradPrivateUse1,
  PrivateUse2_PreAutograd = AutogradPrivateUse2,
  PrivateUse3_PreAutograd = AutogradPrivateUse3,
  Autocast = AutocastCUDA,
};

constexpr uint8_t num_backends = static_cast<uint8_t>(BackendComponent::EndOfBackendKeys);
constexpr uint8_t num_functionality_keys =
    static_cast<uint8_t>(DispatchKey::EndOfFunctionalityKeys);
// Places in an operator's table: one for every functionality and every runtime key.
constexpr uint16_t num_runtime_entries =
    static_cast<uint16_t>(DispatchKey::EndOfRuntimeBackendKeys) + 1;
static_assert(
    static_cast<uint16_t>(num_backends) + num_functionality_keys - 1 <= 64,
    "back ends and functionalities share the 64 bits of a DispatchKeySet");

constexpr bool isAliasDispatchKey(DispatchKey key) {
  return key >= DispatchKey::StartOfAliasKeys && key <= DispatchKey::EndOfAliasKeys;
}
constexpr bool isPerBackendFunctionalityKey(DispatchKey key) {
#define C10_IS(functionality, prefix) key == DispatchKey::functionality ||
  return C10_FORALL_FUNCTIONALITY_KEYS(C10_IS) false;
#undef C10_IS
}

// The functionality of a runtime key; the key itself when it is one.
constexpr DispatchKey toFunctionalityKey(DispatchKey key) {
#define C10_IF_IN(functionality, prefix)                      \
  if (key >= DispatchKey::StartOf##functionality##Backends && \
      key <= DispatchKey::EndOf##functionality##Backends) {   \
    return DispatchKey::functionality;                        \
  }
  C10_FORALL_FUNCTIONALITY_KEYS(C10_IF_IN)
#undef C10_IF_IN
  return key < DispatchKey::EndOfFunctionalityKeys ? key : DispatchKey::Undefined;
}
// The back end of a runtime key, InvalidBit when it has none.
constexpr BackendComponent toBackendComponent(DispatchKey key) {
#define C10_IF_IN(functionality, prefix)                                       \
  if (key >= DispatchKey::StartOf##functionality##Backends &&                  \
      key <= DispatchKey::EndOf##functionality##Backends) {                    \
    return static_cast<BackendComponent>(                                      \
        static_cast<uint16_t>(key) -                                           \
        static_cast<uint16_t>(DispatchKey::StartOf##functionality##Backends)); \
  }
  C10_FORALL_FUNCTIONALITY_KEYS(C10_IF_IN)
#undef C10_IF_IN
  return BackendComponent::InvalidBit;
}
// The marker before the runtime keys of a functionality, or the functionality itself when back ends
// do not have their own.
constexpr DispatchKey firstRuntimeKey(DispatchKey functionality) {
#define C10_IF_IS(name, prefix)                  \
  if (functionality == DispatchKey::name) {      \
    return DispatchKey::StartOf##name##Backends; \
  }
  C10_FORALL_FUNCTIONALITY_KEYS(C10_IF_IS)
#undef C10_IF_IS
  return functionality;
}
constexpr DispatchKey toRuntimePerBackendFunctionalityKey(
    DispatchKey functionality, BackendComponent backend) {
  return isPerBackendFunctionalityKey(functionality)
      ? static_cast<DispatchKey>(
            static_cast<uint16_t>(firstRuntimeKey(functionality)) + static_cast<uint8_t>(backend))
      : DispatchKey::Undefined;
}
// Whether kernels can be registered for the key: the markers and the functionalities that back ends
// have their own of are only places in the order.
constexpr bool isRuntimeDispatchKey(DispatchKey key) {
  return static_cast<uint16_t>(key) < num_runtime_entries && key != DispatchKey::Undefined &&
      key != DispatchKey::EndOfFunctionalityKeys && !isPerBackendFunctionalityKey(key) &&
      (key < DispatchKey::EndOfFunctionalityKeys ||
       toBackendComponent(key) != BackendComponent::InvalidBit);
}

C10_API const char* toString(DispatchKey key);
C10_API const char* toString(BackendComponent backend);
C10_API std::ostream& operator<<(std::ostream& out, DispatchKey key);
C10_API std::ostream& operator<<(std::ostream& out, BackendComponent backend);
C10_API DispatchKey parseDispatchKey(std::string_view name);

// The key of dense tensors on a device type: back ends have the names of their device types, and
// some device types are functionalities of their own.
constexpr DispatchKey dispatch_key_of(DeviceType type) {
  switch (type) {
#define C10_KEY_OF(type, number, name) \
  case DeviceType::type:               \
    return DispatchKey::type;
    C10_FORALL_DISPATCHED_DEVICE_TYPES(C10_KEY_OF)
    default:
      return DispatchKey::Undefined;
#undef C10_KEY_OF
  }
}

} // namespace c10

namespace torch {
using c10::DispatchKey;
constexpr DispatchKey kAutograd = DispatchKey::Autograd;
} // namespace torch
