#include <c10/cuda/CUDAException.h>

#include <cstdlib>
#include <cstring>
#include <string>

#if defined(C10_CUDA_EMULATED)
#include <c10/cuda/emulated/Emulation.h>
#endif

namespace c10 {

AcceleratorError::~AcceleratorError() = default;

namespace cuda {

namespace {

// Whether a kernel that ran before the call may have caused the error.
bool may_be_late(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure ||
      error == cudaErrorUnknown || static_cast<int>(error) >= 700;
}

bool launches_block() {
  const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

// "(cudaMalloc(&p, n))" becomes "cudaMalloc": the arguments say little outside the source.
std::string function_of(const char* call) {
  std::string text(call);
  text.erase(0, text.find_first_not_of("( "));
  return text.substr(0, text.find('('));
}

} // namespace

std::string describe_cuda_error(cudaError_t error, const char* call) {
  std::string text = std::string("CUDA error: ") + cudaGetErrorString(error) + " (" +
      cudaGetErrorName(error) + ", from " + function_of(call) + ")";
#if defined(C10_CUDA_EMULATED)
  const std::string report = cuda_emulation::last_report();
  if (may_be_late(error) && !report.empty()) text += "\nThe emulated device reports: " + report;
#endif
  if (may_be_late(error) && !launches_block()) {
    text +=
        "\nKernels run asynchronously, so an earlier launch may have caused this. To get the error "
        "from the launch itself, set CUDA_LAUNCH_BLOCKING=1.";
  }
  return text;
}

void throw_cuda_error(
    cudaError_t error, const char* call, const char* function, const char* file, uint32_t line) {
  C10_CUDA_CLEAR_ERROR();
  const std::string text = describe_cuda_error(error, call);
  if (error == cudaErrorMemoryAllocation) throw OutOfMemoryError({function, file, line}, text);
  throw AcceleratorError({function, file, line}, static_cast<int>(error), text);
}

void warn_cuda_error(cudaError_t error, const char* call, const char*, const char*, uint32_t) {
  C10_CUDA_CLEAR_ERROR();
  TORCH_WARN(describe_cuda_error(error, call));
}

} // namespace cuda
} // namespace c10
