// The kernel of the key Functionalize, for all operators. It takes the values of functional
// tensors, runs an operator that neither writes nor views them, and wraps the results.
//
// Composite operators run as they are, since the operators that they call come here too.
#include <ATen/FunctionalizedCall.h>

namespace at::functionalization {

namespace {

bool is_composite(const OperatorHandle& op) {
  return op.entry().has_kernel_for(DispatchKey::CompositeImplicitAutograd) &&
      !op.entry().has_kernel_for(DispatchKey::CPU);
}

void functionalize(
    c10::OperatorKernel*, const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  if (is_composite(op)) {
    op.redispatchBoxed(DispatchKeySet(DispatchKey::AutogradCPU), stack);
    return;
  }
  FunctionalizedCall(op, *stack).run(keys);
}

const c10::RegistrationHandleRAII registration = c10::Dispatcher::singleton().registerFallback(
    DispatchKey::Functionalize, c10::KernelFunction{nullptr, {{}, &functionalize}, false},
    __FILE__);

} // namespace

} // namespace at::functionalization
