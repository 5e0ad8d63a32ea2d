#pragma once

#include <c10/core/DispatchKey.h>

#include <array>
#include <bit>
#include <initializer_list>
#include <string>

namespace c10 {

constexpr uint64_t full_backend_mask = (uint64_t{1} << num_backends) - 1;

namespace detail {

// Written so that it becomes one instruction.
constexpr int highest_bit(uint64_t nonzero) {
  return __builtin_clzll(nonzero) ^ 63;
}

// Where the kernels of a functionality begin in an operator's table, and whether the back end
// counts.
struct FunctionalityPlace {
  uint16_t first;
  uint16_t backend_mask;
};
static_assert(num_backends <= 16);

constexpr std::array<FunctionalityPlace, num_functionality_keys> functionality_places = [] {
  std::array<FunctionalityPlace, num_functionality_keys> places{};
  for (uint16_t i = 0; i < num_functionality_keys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    places[i] = {
        static_cast<uint16_t>(firstRuntimeKey(key)),
        static_cast<uint16_t>(isPerBackendFunctionalityKey(key) ? full_backend_mask : 0)};
  }
  return places;
}();

} // namespace detail

// A set of functionalities and a set of back ends, in one word: the low bits are the back ends, the
// high ones the functionalities, both in order of priority. The runtime key SparseCPU is the bits
// of Sparse and CPU, so a set stands for the product of its two halves. That is what makes sixteen
// back ends with six functionalities of their own fit into 64 bits.
class DispatchKeySet final {
 public:
  enum Full { FULL };
  enum FullAfter { FULL_AFTER };
  enum Raw { RAW };

  constexpr DispatchKeySet() = default;
  constexpr DispatchKeySet(Full)
      : repr_((uint64_t{1} << (num_backends + num_functionality_keys - 1)) - 1) {}
  // All keys below a functionality, on all back ends.
  constexpr DispatchKeySet(FullAfter, DispatchKey key)
      : repr_(functionality_bit(toFunctionalityKey(key)) - 1) {}
  constexpr DispatchKeySet(Raw, uint64_t repr) : repr_(repr) {}
  constexpr explicit DispatchKeySet(DispatchKey key) : repr_(bits(key)) {}
  constexpr explicit DispatchKeySet(BackendComponent backend) : repr_(backend_bit(backend)) {}
  constexpr explicit DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (DispatchKey key : keys) {
      repr_ |= bits(key);
    }
  }

  // Whether the set has the functionality and, if the key has one, the back end.
  constexpr bool has(DispatchKey key) const {
    const uint64_t wanted = bits(key);
    return wanted != 0 && (repr_ & wanted) == wanted;
  }
  constexpr bool has_all(DispatchKeySet set) const { return (repr_ & set.repr_) == set.repr_; }
  // Whether a functionality of the other set is here. Where the other one names back ends, those
  // that back ends have their own of also need one of these.
  constexpr bool has_any(DispatchKeySet set) const {
    const uint64_t common = repr_ & set.repr_;
    const bool any_backend =
        (set.repr_ & full_backend_mask) == 0 || (common & full_backend_mask) != 0;
    return (common & ~full_backend_mask & ~(any_backend ? 0 : per_backend_mask())) != 0;
  }
  constexpr bool has_backend(BackendComponent backend) const {
    return (repr_ & backend_bit(backend)) != 0;
  }
  constexpr bool empty() const { return repr_ == 0; }
  constexpr uint64_t raw_repr() const { return repr_; }
  static constexpr DispatchKeySet from_raw_repr(uint64_t repr) { return {RAW, repr}; }

  [[nodiscard]] constexpr DispatchKeySet add(DispatchKey key) const {
    return *this | DispatchKeySet(key);
  }
  // Removes the functionality; the back ends stay.
  [[nodiscard]] constexpr DispatchKeySet remove(DispatchKey key) const {
    return *this - DispatchKeySet(key);
  }
  [[nodiscard]] constexpr DispatchKeySet remove_backend(BackendComponent backend) const {
    return {RAW, repr_ & ~backend_bit(backend)};
  }
  [[nodiscard]] constexpr DispatchKeySet without_backends() const {
    return {RAW, repr_ & ~full_backend_mask};
  }

  constexpr DispatchKeySet operator|(DispatchKeySet other) const {
    return {RAW, repr_ | other.repr_};
  }
  constexpr DispatchKeySet operator&(DispatchKeySet other) const {
    return {RAW, repr_ & other.repr_};
  }
  // Without the other's functionalities. The back ends stay, because other functionalities of the
  // set may need them.
  constexpr DispatchKeySet operator-(DispatchKeySet other) const {
    return {RAW, repr_ & (full_backend_mask | ~other.repr_)};
  }
  constexpr DispatchKeySet operator^(DispatchKeySet other) const {
    return {RAW, repr_ ^ other.repr_};
  }
  constexpr bool operator==(DispatchKeySet other) const { return repr_ == other.repr_; }

  // Undefined and InvalidBit when there is none.
  constexpr DispatchKey highestFunctionalityKey() const {
    return static_cast<DispatchKey>(highest_functionality());
  }
  constexpr BackendComponent highestBackendKey() const {
    return static_cast<BackendComponent>(highest_backend());
  }
  // The place of the highest key in an operator's table, which is that key's number. Most calls
  // that get as far as this have dense tensors and nothing else.
  constexpr uint16_t getDispatchTableIndex() const {
    if (C10_LIKELY(repr_ >> num_backends == 1)) {
      return static_cast<uint16_t>(
          static_cast<uint16_t>(DispatchKey::StartOfDenseBackends) + highest_backend());
    }
    const detail::FunctionalityPlace place =
        detail::functionality_places[static_cast<size_t>(highest_functionality())];
    return static_cast<uint16_t>(place.first + (place.backend_mask ? highest_backend() : 0));
  }
  // Undefined when empty.
  constexpr DispatchKey highestPriorityTypeId() const {
    return static_cast<DispatchKey>(getDispatchTableIndex());
  }

 private:
  static constexpr uint64_t functionality_bit(DispatchKey functionality) {
    return functionality == DispatchKey::Undefined
        ? 0
        : uint64_t{1} << (num_backends - 1 + static_cast<uint16_t>(functionality));
  }
  static constexpr uint64_t backend_bit(BackendComponent backend) {
    return backend == BackendComponent::InvalidBit
        ? 0
        : uint64_t{1} << (static_cast<uint8_t>(backend) - 1);
  }
  static constexpr uint64_t bits(DispatchKey key) {
    return functionality_bit(toFunctionalityKey(key)) | backend_bit(toBackendComponent(key));
  }
  static constexpr uint64_t per_backend_mask() {
#define C10_BIT(functionality, prefix) functionality_bit(DispatchKey::functionality) |
    return C10_FORALL_FUNCTIONALITY_KEYS(C10_BIT) 0;
#undef C10_BIT
  }
  constexpr int highest_functionality() const {
    return detail::highest_bit(repr_ >> (num_backends - 1) | 1);
  }

  constexpr int highest_backend() const {
    return detail::highest_bit((repr_ & full_backend_mask) << 1 | 1);
  }

  uint64_t repr_ = 0;
};

static_assert(
    DispatchKeySet(DispatchKey::Dense).raw_repr() == uint64_t{1} << num_backends,
    "getDispatchTableIndex() takes Dense for the lowest functionality");

// ---- sets of functionalities. Where back ends have their own of one, the set stands for all of
// them, though it names none.

constexpr DispatchKeySet backend_bitset_mask(DispatchKeySet::RAW, full_backend_mask);
constexpr DispatchKeySet python_ks(DispatchKey::Python);
constexpr DispatchKeySet sparse_ks(DispatchKey::Sparse);
constexpr DispatchKeySet sparse_csr_ks(DispatchKey::SparseCsr);
constexpr DispatchKeySet nested_dispatch_keyset(
    {DispatchKey::AutogradNestedTensor, DispatchKey::NestedTensor});
// Back ends without an autograd key of their own.
constexpr DispatchKeySet autogradother_backends(
    {DispatchKey::FPGA, DispatchKey::Vulkan, DispatchKey::Metal, DispatchKey::CustomRNGKeyId,
     DispatchKey::MkldnnCPU, DispatchKey::Sparse, DispatchKey::SparseCsr, DispatchKey::Quantized});
// The keys of data, where a call ends: the kernel of the highest one runs, or the call fails. Alias
// kernels for all back ends serve these; nested tensors have their own.
constexpr DispatchKeySet backend_dispatch_keyset =
    autogradother_backends | backend_bitset_mask | DispatchKeySet(DispatchKey::Dense);
constexpr DispatchKeySet non_functional_backend_dispatch_keyset =
    backend_dispatch_keyset.remove(DispatchKey::Sparse).remove(DispatchKey::SparseCsr);
constexpr DispatchKeySet autograd_dispatch_keyset(
    {DispatchKey::AutogradOther, DispatchKey::AutogradFunctionality,
     DispatchKey::AutogradNestedTensor});
constexpr DispatchKeySet autocast_dispatch_keyset({
#define C10_AUTOCAST(backend) DispatchKey::Autocast##backend,
    C10_FORALL_AUTOCAST_BACKENDS(C10_AUTOCAST)
#undef C10_AUTOCAST
});
constexpr DispatchKeySet autograd_dispatch_keyset_with_ADInplaceOrView =
    autograd_dispatch_keyset | DispatchKeySet(DispatchKey::ADInplaceOrView);
constexpr DispatchKeySet inplace_or_view_ks(DispatchKey::ADInplaceOrView);
// ADInplaceOrView is always included, so that in-place changes to inference tensors, which lack the
// key, are detected too.
constexpr DispatchKeySet default_included_set = inplace_or_view_ks;
constexpr DispatchKeySet default_excluded_set = autocast_dispatch_keyset;
constexpr DispatchKeySet after_autograd_keyset(
    DispatchKeySet::FULL_AFTER, DispatchKey::AutogradOther);
constexpr DispatchKeySet after_ADInplaceOrView_keyset(
    DispatchKeySet::FULL_AFTER, DispatchKey::ADInplaceOrView);

// Whether kernels for the key are where a call ends.
constexpr bool isBackendDispatchKey(DispatchKey key) {
  const DispatchKey functionality = toFunctionalityKey(key);
  return functionality == DispatchKey::NestedTensor || backend_dispatch_keyset.has(functionality);
}

// Returns AutogradCPU for CPU, and so on.
constexpr DispatchKey getAutogradKeyFromBackend(BackendComponent backend) {
  return backend == BackendComponent::InvalidBit
      ? DispatchKey::AutogradOther
      : toRuntimePerBackendFunctionalityKey(DispatchKey::AutogradFunctionality, backend);
}
constexpr DispatchKeySet getAutogradRelatedKeySetFromBackend(BackendComponent backend) {
  return DispatchKeySet({DispatchKey::ADInplaceOrView, getAutogradKeyFromBackend(backend)});
}
constexpr DispatchKeySet getAutocastRelatedKeySetFromBackend(BackendComponent backend) {
  switch (backend) {
#define C10_AUTOCAST(backend)          \
  case BackendComponent::backend##Bit: \
    return DispatchKeySet(DispatchKey::Autocast##backend);
    C10_FORALL_AUTOCAST_BACKENDS(C10_AUTOCAST)
#undef C10_AUTOCAST
    default:
      return DispatchKeySet();
  }
}
// The back end's keys that an autograd key stands before.
constexpr DispatchKeySet getBackendKeySetFromAutograd(DispatchKey autograd_key) {
  if (autograd_key == DispatchKey::AutogradOther) {
    return autogradother_backends | backend_bitset_mask;
  }
  return DispatchKeySet(
      toRuntimePerBackendFunctionalityKey(DispatchKey::Dense, toBackendComponent(autograd_key)));
}

namespace detail {

constexpr std::array<uint64_t, COMPILE_TIME_MAX_DEVICE_TYPES> keys_of_device_types = [] {
  std::array<uint64_t, COMPILE_TIME_MAX_DEVICE_TYPES> keys{};
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = DispatchKeySet(dispatch_key_of(static_cast<DeviceType>(i))).raw_repr();
  }
  return keys;
}();

} // namespace detail

// The keys of dense tensors on a device type.
constexpr DispatchKeySet dispatch_key_set_of(DeviceType type) {
  return {DispatchKeySet::RAW, detail::keys_of_device_types[static_cast<uint8_t>(type)]};
}

// Returns the runtime keys that a registration key stands for; a non-alias key stands for itself.
C10_API DispatchKeySet getRuntimeDispatchKeySet(DispatchKey key);
C10_API bool runtimeDispatchKeySetHas(DispatchKey registered, DispatchKey runtime_key);

C10_API std::string toString(DispatchKeySet set);
C10_API std::ostream& operator<<(std::ostream& out, DispatchKeySet set);

} // namespace c10

namespace at {
using c10::DispatchKeySet;
} // namespace at
