#pragma once

// The call path: pick the highest callable key, load its slot, jump.

#include <ATen/core/dispatch/DispatchKeyExtractor.h>
#include <ATen/core/dispatch/OperatorEntry.h>

#include <cstdint>
#include <utility>

namespace c10 {

namespace detail {

template <typename Signature>
struct KernelCall;
template <typename Ret, typename... Args>
struct KernelCall<Ret(Args...)> {
  using type = Ret (*)(DispatchKeySet, Args...);

  // Finds the kernel of a call that found an empty slot. Out of line, so that callers do not save
  // their arguments for it.
  C10_COLD C10_NOINLINE static Ret skip_empty_slots(
      const OperatorEntry& entry, DispatchKeySet callable, Args... args) {
    callable = entry.skip_empty_slots(callable);
    const KernelPtr kernel = entry.slot(callable.getDispatchTableIndex());
    return reinterpret_cast<type>(kernel)(callable, std::forward<Args>(args)...);
  }
};

// getDispatchTableIndex() for a set of which Dense is the only functionality: the back ends above
// a one, and without Dense's own bit, so that a set without back ends takes the marker's place.
C10_ALWAYS_INLINE uint16_t dense_place(DispatchKeySet dense) {
  const auto backends =
      static_cast<uint32_t>(dense.raw_repr()) * 2 + 1 - (uint32_t{2} << num_backends);
  return static_cast<uint16_t>(
      static_cast<int>(DispatchKey::StartOfDenseBackends) + (__builtin_clz(backends) ^ 31));
}

} // namespace detail

// Calls the kernel for a key set from key_set_of(). Most calls that get here have dense tensors and
// nothing else.
template <typename Signature, typename... Args>
C10_ALWAYS_INLINE decltype(auto) dispatch(
    const OperatorEntry& entry, DispatchKeySet keys, Args&&... args) {
  using Call = detail::KernelCall<Signature>;
  const DispatchKeySet callable = keys & entry.callable_keys();
  const KernelPtr kernel = C10_LIKELY(callable.raw_repr() >> num_backends == 1)
      ? entry.slot(detail::dense_place(callable))
      : entry.slot(callable.getDispatchTableIndex());
  if (C10_UNLIKELY(kernel == nullptr)) {
    return Call::skip_empty_slots(entry, callable, std::forward<Args>(args)...);
  }
  return reinterpret_cast<typename Call::type>(kernel)(callable, std::forward<Args>(args)...);
}

// The same for a kernel that redispatches with fewer keys; thread-local keys are not applied again.
template <typename Signature, typename... Args>
C10_ALWAYS_INLINE decltype(auto) redispatch(
    const OperatorEntry& entry, DispatchKeySet keys, Args&&... args) {
  return dispatch<Signature>(entry, keys, std::forward<Args>(args)...);
}

} // namespace c10
