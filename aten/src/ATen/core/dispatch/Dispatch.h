#pragma once

// The call path: pick the highest callable key, load its slot, jump.

#include <ATen/core/dispatch/DispatchKeyExtractor.h>
#include <ATen/core/dispatch/OperatorEntry.h>

#include <utility>

namespace c10 {

namespace detail {

template <typename Signature>
struct KernelType;
template <typename Ret, typename... Args>
struct KernelType<Ret(Args...)> {
  using type = Ret (*)(DispatchKeySet, Args...);
};

} // namespace detail

// Calls the kernel for a key set from key_set_of().
template <typename Signature, typename... Args>
C10_ALWAYS_INLINE decltype(auto) dispatch(
    const OperatorEntry& entry, DispatchKeySet keys, Args&&... args) {
  DispatchKeySet callable = keys & entry.callable_keys();
  KernelPtr kernel = entry.slot(callable.getDispatchTableIndex());
  if (C10_UNLIKELY(kernel == nullptr)) {
    callable = entry.skip_empty_slots(callable);
    kernel = entry.slot(callable.getDispatchTableIndex());
  }
  using Kernel = typename detail::KernelType<Signature>::type;
  return reinterpret_cast<Kernel>(kernel)(callable, std::forward<Args>(args)...);
}

// The same for a kernel that redispatches with fewer keys; thread-local keys are not applied again.
template <typename Signature, typename... Args>
C10_ALWAYS_INLINE decltype(auto) redispatch(
    const OperatorEntry& entry, DispatchKeySet keys, Args&&... args) {
  return dispatch<Signature>(entry, keys, std::forward<Args>(args)...);
}

} // namespace c10
