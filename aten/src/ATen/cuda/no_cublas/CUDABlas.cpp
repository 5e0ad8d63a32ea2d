#include <ATen/cuda/CUDABlas.h>

#include <c10/util/Exception.h>

// Products of matrices in a build without cuBLAS: an error that says what to do.

namespace at::cuda::blas {

bool is_supported(c10::ScalarType /*dtype*/) {
  return true; // no dtype is refused for its own sake
}

void gemm_batch(
    c10::ScalarType /*dtype*/, native::Gemm /*first*/, int64_t /*count*/, int64_t /*a_step*/,
    int64_t /*b_step*/, int64_t /*c_step*/, const c10::Scalar& /*alpha*/,
    const c10::Scalar& /*beta*/) {
  TORCH_CHECK(
      false,
      "Products of matrices on CUDA devices need cuBLAS, and this build has none: install it (pip "
      "install nvidia-cublas), and build again with USE_CUBLAS=1");
}

} // namespace at::cuda::blas
