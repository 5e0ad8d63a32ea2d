#include <ATen/ops/mm.h>
#include <ATen/ops/t.h>
#include <ATen/ops/unsqueeze.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated::details {

namespace {

bool is_column_major(IntArrayRef sizes, IntArrayRef strides) {
  return strides[0] == 1 && strides[1] == sizes[0];
}

} // namespace

// grad @ mat2^H, or its transpose mat2^* @ grad^T if mat1 is transposed in memory.
Tensor mm_mat1_backward(
    const Tensor& grad, const Tensor& mat2, IntArrayRef mat1_sizes, IntArrayRef mat1_strides,
    const Scalar& alpha) {
  const Tensor product = is_column_major(mat1_sizes, mat1_strides)
      ? at::t(at::mm(conj_of(mat2), at::t(grad)))
      : at::mm(grad, conj_of(at::t(mat2)));
  return maybe_multiply(product, alpha.conj());
}

// mat1^H @ grad, or its transpose grad^T @ mat1^* if mat2 is transposed in memory.
Tensor mm_mat2_backward(
    const Tensor& grad, const Tensor& mat1, IntArrayRef mat2_sizes, IntArrayRef mat2_strides,
    const Scalar& alpha) {
  const Tensor product = is_column_major(mat2_sizes, mat2_strides)
      ? at::t(at::mm(at::t(grad), conj_of(mat1)))
      : at::mm(conj_of(at::t(mat1)), grad);
  return maybe_multiply(product, alpha.conj());
}

Tensor outer_product(const Tensor& column, const Tensor& row) {
  return at::unsqueeze(column, 1) * row;
}

} // namespace torch::autograd::generated::details
