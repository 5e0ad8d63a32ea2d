#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <ostream>

namespace c10 {

// clang-format off
#define C10_FORALL_DISPATCH_KEYS(_) \
  _(Undefined) _(CPU) _(CUDA) _(Meta) _(PrivateUse1) _(BackendSelect) _(Python) \
  _(ADInplaceOrView) _(AutogradOther) _(AutogradCPU) _(AutogradCUDA) _(AutogradMeta) \
  _(AutogradPrivateUse1) _(Tracer) _(AutocastCPU) _(AutocastCUDA) _(Autograd) \
  _(CompositeImplicitAutograd) _(CompositeExplicitAutograd) \
  _(CompositeExplicitAutogradNonFunctional)
// clang-format on

const char* toString(DispatchKey key) {
  switch (key) {
#define C10_NAME(name)    \
  case DispatchKey::name: \
    return #name;
    C10_FORALL_DISPATCH_KEYS(C10_NAME)
#undef C10_NAME
    default:
      return "UNKNOWN_DISPATCH_KEY";
  }
}

std::ostream& operator<<(std::ostream& out, DispatchKey key) {
  return out << toString(key);
}

DispatchKey parseDispatchKey(std::string_view name) {
#define C10_MATCH(key)       \
  if (name == #key) {        \
    return DispatchKey::key; \
  }
  C10_FORALL_DISPATCH_KEYS(C10_MATCH)
#undef C10_MATCH
  if (name == "CatchAll") {
    return DispatchKey::CatchAll;
  }
  TORCH_CHECK(false, "could not parse dispatch key: ", name);
}

DispatchKeySet getRuntimeDispatchKeySet(DispatchKey key) {
  switch (key) {
    case DispatchKey::Autograd:
      return autograd_dispatch_keyset;
    case DispatchKey::CompositeImplicitAutograd:
      return backend_dispatch_keyset | autograd_dispatch_keyset;
    case DispatchKey::CompositeExplicitAutograd:
    case DispatchKey::CompositeExplicitAutogradNonFunctional:
      return backend_dispatch_keyset;
    default:
      return DispatchKeySet(key);
  }
}

std::string toString(DispatchKeySet set) {
  std::string text = "DispatchKeySet(";
  const char* separator = "";
  for (uint16_t i = 1; i < kNumRuntimeKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (set.has(key)) {
      text += separator;
      text += toString(key);
      separator = ", ";
    }
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, DispatchKeySet set) {
  return out << toString(set);
}

namespace impl {
constinit thread_local PODLocalDispatchKeySet raw_local_dispatch_key_set C10_FAST_TLS{};
} // namespace impl

} // namespace c10
