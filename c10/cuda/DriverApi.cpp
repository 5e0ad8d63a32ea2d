#include <c10/cuda/CUDAException.h>
#include <c10/cuda/DriverApi.h>

#include <cstdint>

namespace c10::cuda {

namespace {

// The functions' forms of this release.
constexpr unsigned int kVersion = 12000;
constexpr unsigned int kNewVersion = 12040;

void* entry_point(const char* name, unsigned int version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error = C10_CUDA_ERROR_HANDLED(
      cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &status));
  if (error == cudaSuccess && status == cudaDriverEntryPointSuccess) return function;
  C10_CUDA_CLEAR_ERROR();
  return nullptr;
}

DriverApi load() {
  DriverApi api;
  const auto note = [&](const char* name, bool found) {
    if (!found) api.missing += (api.missing.empty() ? "" : ", ") + std::string(name);
  };
#define C10_LOAD(name)                                                           \
  api.name = reinterpret_cast<decltype(api.name)>(entry_point(#name, kVersion)); \
  note(#name, api.name != nullptr);
  C10_CUDA_DRIVER_FUNCTIONS(C10_LOAD)
#undef C10_LOAD
#define C10_LOAD(name) \
  api.name = reinterpret_cast<decltype(api.name)>(entry_point(#name, kNewVersion));
  C10_CUDA_NEW_DRIVER_FUNCTIONS(C10_LOAD)
#undef C10_LOAD
  return api;
}

} // namespace

const DriverApi& DriverApi::get() {
  static const DriverApi api = load();
  return api;
}

void throw_driver_error(CUresult error, const char* call) {
  const char* name = nullptr;
  if (const auto& api = DriverApi::get(); api.cuGetErrorName != nullptr) {
    api.cuGetErrorName(error, &name);
  }
  throw c10::AcceleratorError(
      {__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, static_cast<int>(error),
      "CUDA driver error: " +
          (name != nullptr ? std::string(name) : std::to_string(static_cast<int>(error))) +
          " when calling `" + call + "`");
}

} // namespace c10::cuda
