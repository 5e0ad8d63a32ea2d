#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/DispatchKey.h>
#include <c10/macros/Macros.h>

namespace at::native {

// Whether normalizations update the argument in place, though their schemas do not say so.
inline bool is_running_statistic(const c10::Argument& argument) {
  return argument.name == "running_mean" || argument.name == "running_var";
}

// A boxed kernel that runs any operator on the CPU: it copies the tensors among the arguments
// there, calls the operator with `cpu_dispatch_key`, and copies what it wrote and returned back. A
// back end registers it as its fallback and needs kernels only for what has to be fast:
//
//   void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
//     at::native::cpu_fallback(op, stack);
//   }
//   TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
//     m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
//   }
//
// A view of a copy is no view, so operators that return views need kernels; without one they return
// a copy with a warning, or with `error_on_views` raise.
TORCH_API void cpu_fallback(
    const c10::OperatorHandle& op, torch::jit::Stack* stack, bool error_on_views = false,
    c10::DispatchKey cpu_dispatch_key = c10::DispatchKey::CPU);

} // namespace at::native
