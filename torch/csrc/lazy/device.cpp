// The parts of the lazy device other than kernels: its guard, and the CPU for operators without a
// node.

#include <ATen/core/Tensor.h>
#include <ATen/native/CPUFallback.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/lazy/core/executor.h>
#include <torch/csrc/lazy/core/metrics.h>
#include <torch/csrc/lazy/core/tensor.h>
#include <torch/library.h>

#include <vector>

namespace torch::lazy {

namespace {

struct GuardImpl final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::Lazy> {
  c10::Device exchangeDevice(c10::Device) const override { return kLazyDevice; }
  c10::Device getDevice() const override { return kLazyDevice; }
  c10::Stream getStream(c10::Device) const override {
    return c10::Stream(c10::Stream::DEFAULT, kLazyDevice);
  }
};

C10_REGISTER_GUARD_IMPL(Lazy, GuardImpl)

void gather_lazy(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    if (is_lazy(value.toTensor())) tensors.push_back(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorList()) {
      if (is_lazy(tensor)) tensors.push_back(tensor);
    }
  } else if (value.isGenericList()) {
    for (const c10::IValue& element : value.toGenericList()) {
      gather_lazy(element, tensors);
    }
  }
}

// A view of a copy is no view, so operators that return views and have no kernel raise.
void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  Counter(op.schema().name()).add();
  std::vector<at::Tensor> tensors;
  const size_t first = stack->size() - op.schema().arguments().size();
  for (size_t i = first; i < stack->size(); ++i) {
    gather_lazy((*stack)[i], tensors);
  }
  LazyGraphExecutor::get().sync(tensors); // one graph for all arguments
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

TORCH_LIBRARY_IMPL(_, Lazy, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

} // namespace
} // namespace torch::lazy
