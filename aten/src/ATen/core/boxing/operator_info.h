#pragma once

#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/core/dispatch/OperatorInfo.h>

#include <utility>

// Properties of a generated operator, for its constant-initialized entry. Boxing code is only
// declared here; the generated RegisterSchema files instantiate it once for each signature.
namespace c10 {

namespace impl {

template <typename Signature>
struct signature_boxing;

template <typename Ret, typename... Args>
struct signature_boxing<Ret(Args...)> {
  static void call_boxed(KernelPtr kernel, DispatchKeySet keys, torch::jit::Stack* stack);
  static Ret box(OperatorEntry& entry, DispatchKeySet keys, Args... args);
};

template <typename Op, typename Signature>
struct trampoline;
template <typename Op, typename Ret, typename... Args>
struct trampoline<Op, Ret(Args...)> {
  static Ret run(DispatchKeySet keys, Args... args) {
    return signature_boxing<Ret(Args...)>::box(Op::entry, keys, std::forward<Args>(args)...);
  }
};

} // namespace impl

template <typename Op>
constexpr OperatorInfo make_operator_info() {
  using Signature = typename Op::schema;
  return {
      Op::name, Op::overload_name, Op::schema_str, &impl::signature_boxing<Signature>::call_boxed,
      []() -> KernelPtr {
        return reinterpret_cast<KernelPtr>(&impl::trampoline<Op, Signature>::run);
      }};
}

} // namespace c10
