#include <ATen/cuda/CudnnDescriptors.h>

#include <ATen/cuda/HandlePool.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <string>

namespace at::cuda::dnn {

namespace {

cudnnHandle_t create_handle() {
  cudnnHandle_t handle = nullptr;
  TORCH_CUDNN_CHECK(cudnnCreate(&handle));
  return handle;
}

} // namespace

void throw_cudnn_error(cudnnStatus_t status, const char* call) {
  throw c10::AcceleratorError(
      {__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, static_cast<int>(status),
      std::string("cuDNN error: ") + cudnnGetErrorString(status) + " when calling `" + call + "`");
}

cudnnHandle_t current_handle() {
  const cudnnHandle_t handle =
      HandlePool<cudnnHandle_t, create_handle>::mine(c10::cuda::current_device());
  TORCH_CUDNN_CHECK(cudnnSetStream(handle, c10::cuda::getCurrentCUDAStream()));
  return handle;
}

cudnnDataType_t data_type(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Double:
      return CUDNN_DATA_DOUBLE;
    case c10::ScalarType::Half:
      return CUDNN_DATA_HALF;
    case c10::ScalarType::BFloat16:
      return CUDNN_DATA_BFLOAT16;
    default:
      TORCH_INTERNAL_ASSERT(dtype == c10::ScalarType::Float);
      return CUDNN_DATA_FLOAT;
  }
}

} // namespace at::cuda::dnn
