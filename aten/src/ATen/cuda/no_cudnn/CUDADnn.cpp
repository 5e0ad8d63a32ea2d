#include <ATen/cuda/CUDADnn.h>

#include <c10/util/Exception.h>

// A build without cuDNN: every convolution is left to its caller.

namespace at::cuda::dnn {

long version() {
  return 0;
}
bool conv(c10::ScalarType, const native::ConvShape&, const void*, const void*, const void*, void*) {
  return false;
}
bool conv_adjoint(
    c10::ScalarType, const native::ConvShape&, const void*, const void*, const void*, void*) {
  return false;
}
bool conv_weight(c10::ScalarType, const native::ConvShape&, const void*, const void*, void*) {
  return false;
}
int benchmark_limit() {
  return 0;
}
void set_benchmark_limit(int) {
  TORCH_CHECK(
      false,
      "torch.backends.cudnn.benchmark_limit needs cuDNN, and this build has none: install it "
      "(pip install nvidia-cudnn-cu13), and build again with USE_CUDNN=1");
}

} // namespace at::cuda::dnn
