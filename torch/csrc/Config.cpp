#include <torch/csrc/Config.h>

#include <ATen/Parallel.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/blas/BlasLibrary.h>

namespace torch {

std::string cpu_capability_name() {
  switch (at::native::get_cpu_capability()) {
    case at::native::CPUCapability::AVX512:
      return "AVX512";
    case at::native::CPUCapability::AVX2:
      return "AVX2";
    default:
      return "DEFAULT";
  }
}

std::string show_config() {
  std::string text = "Torchsmith built with:\n";
#if defined(__clang__)
  text += "  - Clang " __clang_version__ "\n";
#elif defined(__GNUC__)
  text += "  - GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "\n";
#endif
  text += "  - C++ Version: " + std::to_string(__cplusplus) + "\n";
  text += "  - BLAS: " + at::native::blas::description() + "\n";
  text += "  - CPU capability usage: " + cpu_capability_name() + "\n";
  return text + at::get_parallel_info();
}

} // namespace torch
