#pragma once

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/boxing/boxing.h>
#include <ATen/core/boxing/infer_schema.h>
#include <c10/core/DispatchKey.h>

#include <string>
#include <utility>

namespace at::legacy {

template <typename R, typename... A>
struct ExtensionKernel final : c10::OperatorKernel {
  explicit ExtensionKernel(R (*function)(A...)) : function_(function) {}

  static void call(
      c10::OperatorKernel* self, const c10::OperatorHandle&, c10::DispatchKeySet,
      torch::jit::Stack* stack) {
    c10::impl::boxing<R(A...)>::call(static_cast<ExtensionKernel*>(self)->function_, stack);
  }

  R (*function_)(A...);
};

// Makes `kernel` the kernel of a dispatch key for the operator that `schema` names. `signature` is
// the schema that the C++ function has, without a name.
TORCH_API void register_extension_kernel(
    c10::DispatchKey key, const char* schema, c10::KernelFunction kernel,
    const std::string& signature);

// The schema is a name, such as add.Tensor, or a declaration, whose arguments and results must be
// the operator's. The registration lasts as long as the process.
template <typename R, typename... A>
void register_extension_kernel(c10::DispatchKey key, const char* schema, R (*function)(A...)) {
  c10::KernelFunction kernel;
  kernel.boxed.functor = c10::make_intrusive<ExtensionKernel<R, A...>>(function);
  kernel.boxed.function = &ExtensionKernel<R, A...>::call;
  register_extension_kernel(key, schema, std::move(kernel), c10::impl::infer_schema<R(A...)>());
}

} // namespace at::legacy
