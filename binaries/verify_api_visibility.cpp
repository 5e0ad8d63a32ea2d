// Compiles only if the public headers of the package leave no internal macro defined, and links
// only if the libraries export what they declare.
#include <torch/torch.h>

#ifdef CPU_CAPABILITY
#error "CPU_CAPABILITY is for kernels only"
#endif
#ifdef TORCH_TENSOR_METHODS
#error "TORCH_TENSOR_METHODS is for the libraries' own files only"
#endif
#if defined(torch_cpu_EXPORTS) || defined(c10_EXPORTS)
#error "a program is not part of a library"
#endif

#include <cstdio>

int main() {
  const auto& context = at::globalContext();
  (void)context;
  const torch::Tensor tensor = torch::zeros({2});
  const bool linked = tensor.defined() && c10::toString(tensor.scalar_type()) &&
      torch::autograd::GradMode::is_enabled() && at::get_num_threads() > 0;
  std::puts(linked ? "verify_api_visibility: ok" : "verify_api_visibility: failed");
  return linked ? 0 : 1;
}
