#include <ATen/native/DispatchStub.h>

#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>

namespace at::native {

namespace {

CPUCapability supported_capability() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("fma")) {
    return CPUCapability::AVX512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return CPUCapability::AVX2;
  }
#endif
  return CPUCapability::DEFAULT;
}

CPUCapability wanted_capability() {
  const CPUCapability supported = supported_capability();
  const char* name = std::getenv("ATEN_CPU_CAPABILITY");
  if (name == nullptr || *name == '\0') {
    return supported;
  }
  CPUCapability wanted = supported;
  if (std::strcmp(name, "default") == 0) {
    wanted = CPUCapability::DEFAULT;
  } else if (std::strcmp(name, "avx2") == 0) {
    wanted = CPUCapability::AVX2;
  } else if (std::strcmp(name, "avx512") == 0) {
    wanted = CPUCapability::AVX512;
  } else {
    TORCH_WARN("ignoring ATEN_CPU_CAPABILITY=", name, ": expected default, avx2 or avx512");
  }
  return wanted < supported ? wanted : supported;
}

} // namespace

CPUCapability get_cpu_capability() {
  static const CPUCapability capability = wanted_capability();
  return capability;
}

namespace detail {

void* choose_cpu_definition(void* const* definitions, const char* stub_name) {
  for (int level = static_cast<int>(get_cpu_capability()); level >= 0; --level) {
    if (definitions[level] != nullptr) {
      return definitions[level];
    }
  }
  missing_kernel(stub_name, c10::DeviceType::CPU);
}

void missing_kernel(const char* stub_name, c10::DeviceType device) {
  TORCH_CHECK(false, stub_name, ": no kernel is registered for ", device, " tensors");
  __builtin_unreachable();
}

} // namespace detail

} // namespace at::native
