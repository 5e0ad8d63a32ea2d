#pragma once

#include <c10/core/DispatchKey.h>

#include <bit>
#include <initializer_list>
#include <string>

namespace c10 {

class DispatchKeySet final {
 public:
  enum Full { FULL };
  enum Raw { RAW };

  constexpr DispatchKeySet() = default;
  constexpr DispatchKeySet(Full)
      : repr_((uint64_t{1} << (static_cast<uint16_t>(DispatchKey::EndOfRuntimeKeys) - 1)) - 1) {}
  constexpr DispatchKeySet(Raw, uint64_t repr) : repr_(repr) {}
  constexpr explicit DispatchKeySet(DispatchKey key) : repr_(bit(key)) {}
  constexpr explicit DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (DispatchKey key : keys) {
      repr_ |= bit(key);
    }
  }

  constexpr bool has(DispatchKey key) const { return (repr_ & bit(key)) != 0; }
  constexpr bool has_all(DispatchKeySet set) const { return (repr_ & set.repr_) == set.repr_; }
  constexpr bool has_any(DispatchKeySet set) const { return (repr_ & set.repr_) != 0; }
  constexpr bool has_backend(DispatchKey key) const { return has(key); }
  constexpr bool empty() const { return repr_ == 0; }
  constexpr uint64_t raw_repr() const { return repr_; }
  static constexpr DispatchKeySet from_raw_repr(uint64_t repr) { return {RAW, repr}; }

  [[nodiscard]] constexpr DispatchKeySet add(DispatchKey key) const {
    return *this | DispatchKeySet(key);
  }
  [[nodiscard]] constexpr DispatchKeySet remove(DispatchKey key) const {
    return *this - DispatchKeySet(key);
  }

  constexpr DispatchKeySet operator|(DispatchKeySet other) const {
    return {RAW, repr_ | other.repr_};
  }
  constexpr DispatchKeySet operator&(DispatchKeySet other) const {
    return {RAW, repr_ & other.repr_};
  }
  constexpr DispatchKeySet operator-(DispatchKeySet other) const {
    return {RAW, repr_ & ~other.repr_};
  }
  constexpr DispatchKeySet operator^(DispatchKeySet other) const {
    return {RAW, repr_ ^ other.repr_};
  }
  constexpr bool operator==(DispatchKeySet other) const { return repr_ == other.repr_; }

  // Returns Undefined for an empty set.
  constexpr DispatchKey highestPriorityTypeId() const {
    return static_cast<DispatchKey>(64 - std::countl_zero(repr_));
  }
  constexpr DispatchKey highestBackendKey() const;

 private:
  static constexpr uint64_t bit(DispatchKey key) {
    return key == DispatchKey::Undefined ? 0 : uint64_t{1} << (static_cast<uint16_t>(key) - 1);
  }

  uint64_t repr_ = 0;
};

constexpr DispatchKeySet backend_dispatch_keyset(
    {DispatchKey::CPU, DispatchKey::CUDA, DispatchKey::Meta, DispatchKey::PrivateUse1});
constexpr DispatchKeySet autograd_dispatch_keyset(
    {DispatchKey::AutogradOther, DispatchKey::AutogradCPU, DispatchKey::AutogradCUDA,
     DispatchKey::AutogradMeta, DispatchKey::AutogradPrivateUse1});
constexpr DispatchKeySet autocast_dispatch_keyset(
    {DispatchKey::AutocastCPU, DispatchKey::AutocastCUDA});
constexpr DispatchKeySet autograd_dispatch_keyset_with_ADInplaceOrView =
    autograd_dispatch_keyset | DispatchKeySet(DispatchKey::ADInplaceOrView);
constexpr DispatchKeySet inplace_or_view_ks(DispatchKey::ADInplaceOrView);
// ADInplaceOrView is always included, so that in-place changes to inference tensors, which lack the
// key, are detected too.
constexpr DispatchKeySet default_included_set = inplace_or_view_ks;
constexpr DispatchKeySet default_excluded_set = autocast_dispatch_keyset;
constexpr DispatchKeySet after_autograd_keyset =
    DispatchKeySet(DispatchKeySet::RAW, DispatchKeySet(DispatchKey::AutogradOther).raw_repr() - 1);
constexpr DispatchKeySet after_ADInplaceOrView_keyset = DispatchKeySet(
    DispatchKeySet::RAW, DispatchKeySet(DispatchKey::ADInplaceOrView).raw_repr() - 1);

constexpr DispatchKey DispatchKeySet::highestBackendKey() const {
  return (*this & backend_dispatch_keyset).highestPriorityTypeId();
}

// Returns AutogradCPU for CPU, and so on.
constexpr DispatchKey getAutogradKeyFromBackend(DispatchKey backend) {
  switch (backend) {
    case DispatchKey::CPU:
      return DispatchKey::AutogradCPU;
    case DispatchKey::CUDA:
      return DispatchKey::AutogradCUDA;
    case DispatchKey::Meta:
      return DispatchKey::AutogradMeta;
    case DispatchKey::PrivateUse1:
      return DispatchKey::AutogradPrivateUse1;
    default:
      return DispatchKey::AutogradOther;
  }
}
constexpr DispatchKeySet getAutogradRelatedKeySetFromBackend(DispatchKey backend) {
  return DispatchKeySet({DispatchKey::ADInplaceOrView, getAutogradKeyFromBackend(backend)});
}
constexpr DispatchKeySet getAutocastRelatedKeySetFromBackend(DispatchKey backend) {
  return backend == DispatchKey::CPU ? DispatchKeySet(DispatchKey::AutocastCPU)
      : backend == DispatchKey::CUDA ? DispatchKeySet(DispatchKey::AutocastCUDA)
                                     : DispatchKeySet();
}

// Returns the runtime keys that a registration key stands for; a non-alias key stands for itself.
C10_API DispatchKeySet getRuntimeDispatchKeySet(DispatchKey key);

C10_API std::string toString(DispatchKeySet set);
C10_API std::ostream& operator<<(std::ostream& out, DispatchKeySet set);

} // namespace c10

namespace at {
using c10::DispatchKeySet;
} // namespace at
