#pragma once

// The handles of cuSOLVER, and the check of its calls.

#include <c10/macros/Macros.h>

#include <cusolverDn.h>

namespace at::cuda {

// The handle of the calling thread for the current device; it queues its work in the current
// stream.
cusolverDnHandle_t getCurrentCUDASolverDnHandle();

namespace solver {
// Throws AcceleratorError with the status in words.
[[noreturn]] C10_COLD void throw_cusolver_error(cusolverStatus_t status, const char* call);
} // namespace solver
} // namespace at::cuda

#define TORCH_CUSOLVER_CHECK(call)                                   \
  do {                                                               \
    const cusolverStatus_t torch_status = (call);                    \
    if (C10_UNLIKELY(torch_status != CUSOLVER_STATUS_SUCCESS)) {     \
      ::at::cuda::solver::throw_cusolver_error(torch_status, #call); \
    }                                                                \
  } while (false)
