#pragma once

#include <ATen/core/boxing/boxing.h>
#include <ATen/core/boxing/operator_info.h>

namespace c10::impl {

template <typename Ret, typename... Args>
void signature_boxing<Ret(Args...)>::call_boxed(
    KernelPtr kernel, DispatchKeySet keys, torch::jit::Stack* stack) {
  boxing<Ret(Args...)>::call_boxed(kernel, keys, stack);
}

template <typename Ret, typename... Args>
Ret signature_boxing<Ret(Args...)>::box(OperatorEntry& entry, DispatchKeySet keys, Args... args) {
  return boxing<Ret(Args...)>::box(entry, keys, std::forward<Args>(args)...);
}

} // namespace c10::impl
