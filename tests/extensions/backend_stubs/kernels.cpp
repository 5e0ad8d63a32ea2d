// The kernels that kernels.yaml lists; the CPU computes for all of them.

#include "PrivateUse1NativeFunctions.h"
#include "memory.h"

#include <ATen/ATen.h>
#include <torch/library.h>

namespace granite::more {

static int64_t calls = 0;
static int64_t device_of_last_call = -1;

static at::Tensor on_host(const at::Tensor& self) {
  ++calls;
  device_of_last_call = private_device::current_device();
  return self.to(c10::Device(c10::kCPU));
}

at::Tensor MoreKernels::exp(const at::Tensor& self) {
  return at::exp(on_host(self)).to(self.device());
}

std::tuple<at::Tensor, at::Tensor> MoreKernels::topk(
    const at::Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
  const auto [values, indices] = at::topk(on_host(self), k, dim, largest, sorted);
  return {values.to(self.device()), indices.to(self.device())};
}

at::Tensor MoreKernels::cumsum(
    const at::Tensor& self, int64_t dim, std::optional<at::ScalarType> dtype) {
  return at::cumsum(on_host(self), dim, dtype).to(self.device());
}

// Recorded by the operators that it calls, so it needs no formula.
at::Tensor MoreKernels::silu(const at::Tensor& self) {
  ++calls;
  return self * at::sigmoid(self);
}

TORCH_LIBRARY(more_kernels, m) {
  m.def("calls() -> int", [] { return calls; });
  m.def("device_of_last_call() -> int", [] { return device_of_last_call; });
}

} // namespace granite::more
