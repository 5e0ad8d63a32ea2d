#pragma once

// What every use of cuDNN needs: its handle, its descriptors, and the check of its calls.
//
// Convolutions use the functions that cuDNN has had since its version 7, not its graphs of
// operations: they say the same for a single operator in a tenth of the code, and every release of
// cuDNN 9 has them.

#include <c10/core/ScalarType.h>
#include <c10/macros/Macros.h>

#include <cudnn.h>

namespace at::cuda::dnn {

// Throws AcceleratorError with the status in words.
[[noreturn]] C10_COLD void throw_cudnn_error(cudnnStatus_t status, const char* call);

// The handle of the calling thread for the current device. It queues its work in the current
// stream.
cudnnHandle_t current_handle();

// Float, double, half or bfloat16.
cudnnDataType_t data_type(c10::ScalarType dtype);

} // namespace at::cuda::dnn

#define TORCH_CUDNN_CHECK(call)                                \
  do {                                                         \
    const cudnnStatus_t torch_status = (call);                 \
    if (C10_UNLIKELY(torch_status != CUDNN_STATUS_SUCCESS)) {  \
      ::at::cuda::dnn::throw_cudnn_error(torch_status, #call); \
    }                                                          \
  } while (false)

namespace at::cuda::dnn {

template <typename Handle, cudnnStatus_t (*create)(Handle*), cudnnStatus_t (*destroy)(Handle)>
class Descriptor {
 public:
  Descriptor() { TORCH_CUDNN_CHECK(create(&handle_)); }
  ~Descriptor() { destroy(handle_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator Handle() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

using TensorDescriptor =
    Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using FilterDescriptor =
    Descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor = Descriptor<
    cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
    cudnnDestroyConvolutionDescriptor>;

} // namespace at::cuda::dnn
