#include <ATen/cuda/CUDABlas.h>

#include <ATen/native/cuda/OwnBlas.h>
#include <c10/util/Exception.h>

// A build without cuBLAS has kernels of its own.

namespace at::cuda::blas {

namespace {

[[noreturn]] void no_cublas() {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "This build does not use cuBLAS");
}

} // namespace

uintptr_t current_handle() {
  no_cublas();
}
size_t workspace_size() {
  no_cublas();
}
void set_workspace_size(size_t) {
  no_cublas();
}

bool is_supported(c10::ScalarType dtype) {
  return c10::isFloatingType(dtype) || dtype == c10::ScalarType::ComplexFloat ||
      dtype == c10::ScalarType::ComplexDouble;
}

void gemm_batch(
    c10::ScalarType dtype, native::Gemm first, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta) {
  native::own_gemm_batch(dtype, first, count, a_step, b_step, c_step, alpha, beta);
}

void triangular_solve(
    c10::ScalarType dtype, bool upper, bool unit, int n, int columns, const void* const* a,
    void* const* b, int count) {
  native::own_triangular_solve(dtype, upper, unit, n, columns, a, b, count);
}

} // namespace at::cuda::blas
