#pragma once

#include <c10/cuda/CUDAException.h>

namespace c10::cuda::impl {

// While a stream is captured, allocating, freeing and asking for events is an error unless the
// thread declares that the calls have nothing to do with the graph. The allocators' have not.
class RelaxedCapture {
 public:
  RelaxedCapture() { C10_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() { C10_CUDA_CHECK_WARN(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  C10_DISABLE_COPY_AND_ASSIGN(RelaxedCapture);

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

} // namespace c10::cuda::impl
