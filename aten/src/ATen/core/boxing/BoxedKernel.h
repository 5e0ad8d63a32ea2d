#pragma once

#include <ATen/core/dispatch/OperatorInfo.h>
#include <c10/util/intrusive_ptr.h>

namespace c10 {

class OperatorHandle;

// State of a kernel; stateless kernels have none.
struct TORCH_API OperatorKernel : public intrusive_ptr_target {
  ~OperatorKernel() override;
};

// A kernel that takes its arguments from a stack and works for any operator.
struct BoxedKernel {
  using Function =
      void (*)(OperatorKernel*, const OperatorHandle&, DispatchKeySet, torch::jit::Stack*);

  intrusive_ptr<OperatorKernel> functor;
  Function function = nullptr;

  bool isValid() const { return function != nullptr; }
  void callBoxed(
      const OperatorHandle& handle, DispatchKeySet keys, torch::jit::Stack* stack) const {
    function(functor.get(), handle, keys, stack);
  }

  // Makes a kernel from a function known at compile time:
  // `BoxedKernel::makeFromFunction<&my_fallback>()`.
  template <void (*function)(const OperatorHandle&, torch::jit::Stack*)>
  static BoxedKernel makeFromFunction() {
    return {
        {},
        [](OperatorKernel*, const OperatorHandle& handle, DispatchKeySet,
           torch::jit::Stack* stack) { function(handle, stack); }};
  }
  template <void (*function)(const OperatorHandle&, DispatchKeySet, torch::jit::Stack*)>
  static BoxedKernel makeFromFunction() {
    return {
        {},
        [](OperatorKernel*, const OperatorHandle& handle, DispatchKeySet keys,
           torch::jit::Stack* stack) { function(handle, keys, stack); }};
  }
};

} // namespace c10
