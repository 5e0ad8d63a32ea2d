${generated}

#include "${header}"

#include <ATen/DeviceGuard.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy.h>
#include <torch/library.h>
${includes}

namespace ${namespace} {
namespace {

${helpers}
${wrappers}
${table}
${fallback}
}  // namespace
}  // namespace ${namespace}
//@section native
// ${schema}
${declaration} {
  return ${kernel}(${arguments});
}

//@section guarded
// ${schema}
${declaration} {
  const c10::OptionalDeviceGuard guard(${guarded});
  return ${kernel}(${arguments});
}

//@section derived
// ${schema}
${declaration} {
  const auto result = ${primary}(${arguments});
  ${assignments}
  ${returns}
}

//@section row
  {&at::_ops::${struct}::entry, c10::DispatchKey::${key},
   reinterpret_cast<c10::KernelPtr>(&${wrapper})},
//@section table
c10::KernelRow rows[] = {
${rows}
};
const c10::KernelTable table(rows);

//@section helpers
/// Writes the result of a functional kernel into the argument of an in-place one.
[[maybe_unused]] void assign(const at::Tensor& self, const at::Tensor& result) {
  TORCH_CHECK(
      c10::canCast(result.scalar_type(), self.scalar_type()), "result type ", result.scalar_type(),
      " can't be cast to the desired output type ", self.scalar_type());
  TORCH_CHECK(
      self.sizes() == result.sizes(), "output with shape ", self.sizes(),
      " doesn't match the broadcast shape ", result.sizes());
  at::methods::copy_(self, result);
}

/// Writes the result of a functional kernel into an out= argument.
[[maybe_unused]] void assign_resized(const at::Tensor& out, const at::Tensor& result) {
  TORCH_CHECK(
      c10::canCast(result.scalar_type(), out.scalar_type()), "result type ", result.scalar_type(),
      " can't be cast to the desired output type ", out.scalar_type());
  at::native::resize_output(out, result.sizes());
  at::methods::copy_(out, result);
}

//@section fallback
/// Operators without a kernel above run on the CPU. A view of a copy is no view, so those that
/// return views raise.
void cpu_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

TORCH_LIBRARY_IMPL(_, ${key}, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

