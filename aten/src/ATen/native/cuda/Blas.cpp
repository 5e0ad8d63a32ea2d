// Products of matrices and of vectors.

#include <ATen/cuda/CUDABlas.h>
#include <ATen/native/MatrixProduct.h>

#include <ATen/ops/conj.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/dot_native.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/vdot_native.h>

namespace at::native {
namespace {

void multiply_on_cuda(
    const char* /*name*/, const Tensor& a, const Tensor& b, const Tensor& result,
    const Scalar& beta, const Scalar& alpha) {
  const ScalarType dtype = result.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      at::cuda::blas::is_supported(dtype), "\"addmm_cuda\" not implemented for '",
      c10::toString(dtype), "'");
  with_blas_layout(
      a, b, result, /*takes_adjoints=*/false,
      [&](const Gemm& g, int64_t count, int64_t a_step, int64_t b_step, int64_t c_step) {
        at::cuda::blas::gemm_batch(dtype, g, count, a_step, b_step, c_step, alpha, beta);
      });
}

} // namespace

REGISTER_CUDA_DISPATCH(matrix_product_stub, &multiply_on_cuda)

Tensor dot_cuda(const Tensor& self, const Tensor& other) {
  check_dot(self, other);
  if (self.is_conj() && other.is_conj()) {
    Tensor result = at::dot(at::conj(self), at::conj(other));
    result._set_conj(true);
    return result;
  }
  return at::reshape(at::mm(at::unsqueeze(self, 0), at::unsqueeze(other, 1)), {});
}

Tensor vdot_cuda(const Tensor& self, const Tensor& other) {
  return at::dot(at::conj(self), other);
}

} // namespace at::native
