#include <c10/core/Backend.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <ostream>

namespace c10 {

namespace {

// Every enumerator that has one name only, in the order of the enumeration.
constexpr const char* kNames[] = {
    "Undefined",
#define C10_NAME(name) #name,
    C10_FORALL_FUNCTIONALITIES(C10_NAME)
#undef C10_NAME
        "EndOfFunctionalityKeys",
#define C10_RUNTIME_NAME(backend, prefix) #prefix #backend,
#define C10_RUNTIME_NAMES(functionality, prefix) \
  "StartOf" #functionality "Backends", C10_FORALL_BACKEND_COMPONENTS(C10_RUNTIME_NAME, prefix)
    C10_FORALL_FUNCTIONALITY_KEYS(C10_RUNTIME_NAMES)
#undef C10_RUNTIME_NAMES
#undef C10_RUNTIME_NAME
#define C10_NAME(name) #name,
        C10_FORALL_ALIAS_KEYS(C10_NAME)
#undef C10_NAME
};
static_assert(std::size(kNames) == static_cast<size_t>(DispatchKey::EndOfAliasKeys) + 1);

constexpr DispatchKeySet implicit_keys =
    backend_dispatch_keyset | autograd_dispatch_keyset | nested_dispatch_keyset;

} // namespace

const char* toString(DispatchKey key) {
  const auto i = static_cast<size_t>(key);
  return i < std::size(kNames) ? kNames[i] : "UNKNOWN_DISPATCH_KEY";
}

const char* toString(BackendComponent backend) {
  switch (backend) {
#define C10_NAME(name, _)           \
  case BackendComponent::name##Bit: \
    return #name "Bit";
    C10_FORALL_BACKEND_COMPONENTS(C10_NAME, _)
#undef C10_NAME
    case BackendComponent::InvalidBit:
      return "InvalidBit";
  }
  return "UNKNOWN_BACKEND_BIT";
}

std::ostream& operator<<(std::ostream& out, DispatchKey key) {
  return out << toString(key);
}
std::ostream& operator<<(std::ostream& out, BackendComponent backend) {
  return out << toString(backend);
}

DispatchKey parseDispatchKey(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    const auto key = static_cast<DispatchKey>(i);
    const bool marker = key == DispatchKey::EndOfFunctionalityKeys ||
        (key > DispatchKey::EndOfFunctionalityKeys && !isAliasDispatchKey(key) &&
         toBackendComponent(key) == BackendComponent::InvalidBit);
    if (name == kNames[i] && !marker) {
      return key;
    }
  }
  if (name == "CatchAll") {
    return DispatchKey::CatchAll;
  }
  TORCH_CHECK(false, "could not parse dispatch key: ", name);
}

DispatchKeySet getRuntimeDispatchKeySet(DispatchKey key) {
  switch (key) {
    case DispatchKey::Autograd:
      return autograd_dispatch_keyset | backend_bitset_mask;
    case DispatchKey::CompositeImplicitAutograd:
    case DispatchKey::CompositeImplicitAutogradNestedTensor:
      return (key == DispatchKey::CompositeImplicitAutograd ? implicit_keys - nested_dispatch_keyset
                                                            : nested_dispatch_keyset) |
          backend_bitset_mask;
    case DispatchKey::CompositeExplicitAutograd:
      return backend_dispatch_keyset | DispatchKeySet(DispatchKey::NestedTensor);
    case DispatchKey::CompositeExplicitAutogradNonFunctional:
      return non_functional_backend_dispatch_keyset;
    case DispatchKey::FuncTorchBatchedDecomposition:
      return DispatchKeySet({DispatchKey::FuncTorchBatched, DispatchKey::BatchedNestedTensor});
    default:
      return DispatchKeySet(key);
  }
}

bool runtimeDispatchKeySetHas(DispatchKey registered, DispatchKey runtime_key) {
  return isAliasDispatchKey(registered) ? getRuntimeDispatchKeySet(registered).has(runtime_key)
                                        : registered == runtime_key;
}

std::string toString(DispatchKeySet set) {
  std::string text = "DispatchKeySet(";
  const char* separator = "";
  const auto add = [&](DispatchKey key) {
    text += separator;
    text += toString(key);
    separator = ", ";
  };
  for (uint16_t i = 1; i < num_functionality_keys; ++i) {
    const auto functionality = static_cast<DispatchKey>(i);
    if (!set.has(functionality)) {
      continue;
    }
    if (!isPerBackendFunctionalityKey(functionality)) {
      add(functionality);
      continue;
    }
    for (uint8_t backend = 1; backend <= num_backends; ++backend) {
      const auto component = static_cast<BackendComponent>(backend);
      if (set.has_backend(component)) {
        add(toRuntimePerBackendFunctionalityKey(functionality, component));
      }
    }
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, DispatchKeySet set) {
  return out << toString(set);
}

const char* toString(Backend backend) {
  switch (backend) {
#define C10_NAME(backend, prefix) \
  case Backend::prefix##backend:  \
    return #prefix #backend;
#define C10_NAMES(functionality, prefix) C10_FORALL_BACKEND_COMPONENTS(C10_NAME, prefix)
    C10_FORALL_TENSOR_FUNCTIONALITIES(C10_NAMES)
#undef C10_NAMES
#undef C10_NAME
#define C10_NAME(backend) \
  case Backend::backend:  \
    return #backend;
    C10_FORALL_LONE_BACKENDS(C10_NAME)
#undef C10_NAME
    default:
      return "UNDEFINED_BACKEND";
  }
}

namespace impl {
constinit thread_local PODLocalDispatchKeySet raw_local_dispatch_key_set C10_FAST_TLS{};
} // namespace impl

} // namespace c10
