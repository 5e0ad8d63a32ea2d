// Gradients of operators that pick elements: zeros with the gradient in the elements picked.

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/diagonal_backward_native.h>
#include <ATen/ops/gather_backward_native.h>
#include <ATen/ops/index_select_backward_native.h>
#include <ATen/ops/masked_select_backward_native.h>
#include <ATen/ops/select_backward_native.h>
#include <ATen/ops/slice_backward_native.h>
#include <ATen/ops/unfold_backward_native.h>
#include <ATen/ops/value_selecting_reduction_backward_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {

Tensor select_backward(
    const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim, int64_t index) {
  Tensor result = at::zeros(input_sizes, grad_output.options());
  result.select(dim, index).copy_(grad_output);
  return result;
}

Tensor slice_backward(
    const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim, int64_t start, int64_t end,
    int64_t step) {
  Tensor result = at::zeros(input_sizes, grad_output.options());
  result.slice(dim, start, end, step).copy_(grad_output);
  return result;
}

Tensor diagonal_backward(
    const Tensor& grad_output, IntArrayRef input_sizes, int64_t offset, int64_t dim1,
    int64_t dim2) {
  Tensor result = at::zeros(input_sizes, grad_output.options());
  result.diagonal(offset, dim1, dim2).copy_(grad_output);
  return result;
}

// Window w holds the elements w * step + k: for each k, all windows' elements are one slice.
Tensor unfold_backward(
    const Tensor& grad_in, IntArrayRef input_sizes, int64_t dim, int64_t size, int64_t step) {
  Tensor result = at::zeros(input_sizes, grad_in.options());
  if (input_sizes.empty()) {
    return result.add_(grad_in.select(-1, 0));
  }
  dim = maybe_wrap_dim(dim, static_cast<int64_t>(input_sizes.size()));
  if (step >= size) {
    result.unfold(dim, size, step).copy_(grad_in);
    return result;
  }
  const int64_t windows = grad_in.size(dim);
  for (int64_t k = 0; k < size && windows > 0; ++k) {
    result.slice(dim, k, k + (windows - 1) * step + 1, step).add_(grad_in.select(-1, k));
  }
  return result;
}

Tensor index_select_backward(
    const Tensor& grad, IntArrayRef self_sizes, int64_t dim, const Tensor& index) {
  return at::zeros(self_sizes, grad.options()).index_add_(dim, index, grad);
}

Tensor gather_backward(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !sparse_grad, "gather: sparse gradients need the sparse layout, which is not built");
  return at::zeros(self.sizes(), grad.options()).scatter_add_(dim, index, grad);
}

Tensor masked_select_backward(const Tensor& grad, const Tensor& input, const Tensor& mask) {
  const DimVector sizes = infer_size_dimvector(input.sizes(), mask.sizes());
  const Tensor zeros = at::zeros(sizes, grad.options());
  c10::List<std::optional<Tensor>> indices;
  indices.push_back(mask.expand(sizes).reshape({-1}));
  return zeros.reshape({-1}).index_put(indices, grad).view(sizes);
}

Tensor value_selecting_reduction_backward(
    const Tensor& grad, int64_t dim, const Tensor& indices, IntArrayRef sizes, bool keepdim) {
  const Tensor zeros = at::zeros(sizes, grad.options());
  if (keepdim || sizes.empty()) {
    return zeros.scatter_(dim, indices, grad);
  }
  return zeros.scatter_(dim, indices.unsqueeze(dim), grad.unsqueeze(dim));
}

} // namespace at::native
