// Gradients of operators that select elements: zeros, with the gradient at the selected elements.

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/SparseGather.h>
#include <ATen/ops/add.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/diagonal_backward_native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/gather_backward_native.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/index_select_backward_native.h>
#include <ATen/ops/masked_select_backward_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/select.h>
#include <ATen/ops/select_backward_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/slice_backward_native.h>
#include <ATen/ops/unfold.h>
#include <ATen/ops/unfold_backward_native.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/value_selecting_reduction_backward_native.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

#include <atomic>

namespace at::native {

Tensor select_backward(
    const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim, int64_t index) {
  Tensor result = at::zeros(input_sizes, grad_output.options());
  at::methods::copy_(at::select(result, dim, index), grad_output);
  return result;
}

Tensor slice_backward(
    const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim, int64_t start, int64_t end,
    int64_t step) {
  Tensor result = at::zeros(input_sizes, grad_output.options());
  at::methods::copy_(at::slice(result, dim, start, end, step), grad_output);
  return result;
}

Tensor diagonal_backward(
    const Tensor& grad_output, IntArrayRef input_sizes, int64_t offset, int64_t dim1,
    int64_t dim2) {
  Tensor result = at::zeros(input_sizes, grad_output.options());
  at::methods::copy_(at::diagonal(result, offset, dim1, dim2), grad_output);
  return result;
}

// Window w holds the elements w * step + k, so for each k the elements of all windows form one
// slice.
Tensor unfold_backward(
    const Tensor& grad_in, IntArrayRef input_sizes, int64_t dim, int64_t size, int64_t step) {
  Tensor result = at::zeros(input_sizes, grad_in.options());
  if (input_sizes.empty()) {
    return at::methods::add_(result, at::select(grad_in, -1, 0));
  }
  dim = maybe_wrap_dim(dim, static_cast<int64_t>(input_sizes.size()));
  if (step >= size) {
    at::methods::copy_(at::methods::unfold(result, dim, size, step), grad_in);
    return result;
  }
  const int64_t windows = grad_in.size(dim);
  for (int64_t k = 0; k < size && windows > 0; ++k) {
    at::methods::add_(
        at::slice(result, dim, k, k + (windows - 1) * step + 1, step), at::select(grad_in, -1, k));
  }
  return result;
}

// Whether a subclass may stand for more elements than zeros of its own shape have.
static bool in_python(const Tensor& a, const Tensor& b) {
  return a.unsafeGetTensorImpl()->is_python_dispatch() ||
      b.unsafeGetTensorImpl()->is_python_dispatch();
}

Tensor index_select_backward(
    const Tensor& grad, IntArrayRef self_sizes, int64_t dim, const Tensor& index) {
  const Tensor zeros = at::zeros(self_sizes, grad.options());
  if (in_python(grad, index)) return at::index_add(zeros, dim, index, grad);
  return at::methods::index_add_(zeros, dim, index, grad);
}

static std::atomic<SparseGatherBackward> sparse_gather_backward = nullptr;

void set_sparse_gather_backward(SparseGatherBackward function) {
  sparse_gather_backward.store(function);
}

Tensor gather_backward(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad) {
  if (sparse_grad) {
    const SparseGatherBackward function = sparse_gather_backward.load();
    TORCH_CHECK_NOT_IMPLEMENTED(
        function,
        "gather: a sparse gradient is a tensor of Python, which this program does not run");
    return function(grad, self.sizes(), maybe_wrap_dim(dim, self.dim()), index);
  }
  const Tensor zeros = at::zeros(self.sizes(), grad.options());
  if (in_python(grad, index)) return at::scatter_add(zeros, dim, index, grad);
  return at::methods::scatter_add_(zeros, dim, index, grad);
}

Tensor masked_select_backward(const Tensor& grad, const Tensor& input, const Tensor& mask) {
  const DimVector sizes = infer_size_dimvector(input.sizes(), mask.sizes());
  const Tensor zeros = at::zeros(sizes, grad.options());
  c10::List<std::optional<Tensor>> indices;
  indices.push_back(at::reshape(at::methods::expand(mask, sizes), {-1}));
  return at::methods::view(at::index_put(at::reshape(zeros, {-1}), indices, grad), sizes);
}

Tensor value_selecting_reduction_backward(
    const Tensor& grad, int64_t dim, const Tensor& indices, IntArrayRef sizes, bool keepdim) {
  const Tensor zeros = at::zeros(sizes, grad.options());
  const bool whole = keepdim || sizes.empty();
  const Tensor index = whole ? indices : at::unsqueeze(indices, dim);
  const Tensor source = whole ? grad : at::unsqueeze(grad, dim);
  if (in_python(grad, indices)) return at::scatter(zeros, dim, index, source);
  return at::methods::scatter_(zeros, dim, index, source);
}

} // namespace at::native
