#pragma once

// Every call of the CUDA runtime goes through C10_CUDA_CHECK, and every kernel launch through it or
// C10_CUDA_KERNEL_LAUNCH_CHECK: an error that is not read is returned by the next call, which then
// gets the blame.

#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <cuda_runtime_api.h>

namespace c10 {

// A device's error. Python sees torch.AcceleratorError once torch.cuda exists, until then
// RuntimeError.
class C10_CUDA_API AcceleratorError : public Error {
 public:
  AcceleratorError(SourceLocation location, int code, std::string message)
      : Error(location, std::move(message)), code_(code) {}
  ~AcceleratorError() override;
  int get_error_code() const noexcept { return code_; }

 private:
  int code_;
};

namespace cuda {

// Throws AcceleratorError, and OutOfMemoryError for cudaErrorMemoryAllocation.
[[noreturn]] C10_CUDA_API C10_COLD void throw_cuda_error(
    cudaError_t error, const char* call, const char* function, const char* file, uint32_t line);
C10_CUDA_API C10_COLD void warn_cuda_error(
    cudaError_t error, const char* call, const char* function, const char* file, uint32_t line);
// The error in words, its name, and what else helps to find the cause.
C10_CUDA_API std::string describe_cuda_error(cudaError_t error, const char* call);

} // namespace cuda
} // namespace c10

#define C10_CUDA_CHECK_AS(report, call)                                                   \
  do {                                                                                    \
    const cudaError_t c10_cuda_error = (call);                                            \
    if (C10_UNLIKELY(c10_cuda_error != cudaSuccess)) {                                    \
      report(c10_cuda_error, #call, __func__, __FILE__, static_cast<uint32_t>(__LINE__)); \
    }                                                                                     \
  } while (false)

#define C10_CUDA_CHECK(...) C10_CUDA_CHECK_AS(::c10::cuda::throw_cuda_error, (__VA_ARGS__))
// For destructors.
#define C10_CUDA_CHECK_WARN(...) C10_CUDA_CHECK_AS(::c10::cuda::warn_cuda_error, (__VA_ARGS__))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
// For an error that the caller looks at itself.
#define C10_CUDA_ERROR_HANDLED(...) (__VA_ARGS__)
// Forgets the last error, so that nothing later is blamed for it.
#define C10_CUDA_CLEAR_ERROR() static_cast<void>(cudaGetLastError())
