#pragma once

// Functions of the CUDA driver, which is on machines with a GPU only. The runtime looks them up, so
// nothing links libcuda.

#include <c10/macros/Export.h>

#include <cuda.h>

#include <string>

// clang-format off
#define C10_CUDA_DRIVER_FUNCTIONS(_) \
  _(cuGetErrorName)                  \
  _(cuDeviceGetAttribute)            \
  _(cuMemAddressReserve)             \
  _(cuMemAddressFree)                \
  _(cuMemCreate)                     \
  _(cuMemRelease)                    \
  _(cuMemMap)                        \
  _(cuMemUnmap)                      \
  _(cuMemSetAccess)                  \
  _(cuModuleLoadData)                \
  _(cuModuleGetFunction)             \
  _(cuFuncSetAttribute)              \
  _(cuLaunchKernel)
// clang-format on
// A null pointer on drivers before 12.4.
#define C10_CUDA_NEW_DRIVER_FUNCTIONS(_) _(cuFuncGetParamInfo)

namespace c10::cuda {

struct DriverApi {
#define C10_CUDA_DRIVER_FUNCTION(name) decltype(&::name) name = nullptr;
  C10_CUDA_DRIVER_FUNCTIONS(C10_CUDA_DRIVER_FUNCTION)
  C10_CUDA_NEW_DRIVER_FUNCTIONS(C10_CUDA_DRIVER_FUNCTION)
#undef C10_CUDA_DRIVER_FUNCTION
  std::string
      missing; // the functions that this machine's driver does not have, separated by commas

  C10_CUDA_API static const DriverApi& get();
};

// Throws AcceleratorError with the name of the error.
[[noreturn]] C10_CUDA_API void throw_driver_error(CUresult error, const char* call);

} // namespace c10::cuda

#define C10_CUDA_DRIVER_CHECK(call)                       \
  do {                                                    \
    const CUresult c10_result = (call);                   \
    if (C10_UNLIKELY(c10_result != CUDA_SUCCESS)) {       \
      ::c10::cuda::throw_driver_error(c10_result, #call); \
    }                                                     \
  } while (false)
