#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated::details {

namespace {

bool is_column_major(IntArrayRef sizes, IntArrayRef strides) {
  return strides[0] == 1 && strides[1] == sizes[0];
}

} // namespace

// grad @ mat2^H, or its transpose mat2^* @ grad^T when that is how mat1 lies.
Tensor mm_mat1_backward(
    const Tensor& grad, const Tensor& mat2, IntArrayRef mat1_sizes, IntArrayRef mat1_strides,
    const Scalar& alpha) {
  const Tensor product = is_column_major(mat1_sizes, mat1_strides) ? conj_of(mat2).mm(grad.t()).t()
                                                                   : grad.mm(conj_of(mat2.t()));
  return maybe_multiply(product, alpha.conj());
}

// mat1^H @ grad, or its transpose grad^T @ mat1^* when that is how mat2 lies.
Tensor mm_mat2_backward(
    const Tensor& grad, const Tensor& mat1, IntArrayRef mat2_sizes, IntArrayRef mat2_strides,
    const Scalar& alpha) {
  const Tensor product = is_column_major(mat2_sizes, mat2_strides) ? grad.t().mm(conj_of(mat1)).t()
                                                                   : conj_of(mat1.t()).mm(grad);
  return maybe_multiply(product, alpha.conj());
}

Tensor outer_product(const Tensor& column, const Tensor& row) {
  return column.unsqueeze(1) * row;
}

} // namespace torch::autograd::generated::details
