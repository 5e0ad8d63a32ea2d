#include <ATen/native/EmbeddingStub.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/embedding_backward_native.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/embedding_dense_backward_native.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zero.h>
#include <ATen/ops/zeros.h>

namespace at::native {

DEFINE_DISPATCH(embedding_backward_stub);

Tensor embedding_backward(
    const Tensor& grad, const Tensor& indices, int64_t num_weights, int64_t padding_idx,
    bool scale_grad_by_freq, bool sparse) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !sparse,
      "embedding_backward: sparse gradients need the sparse layout, which is not supported");
  return at::embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq);
}

Tensor embedding_dense_backward_cpu(
    const Tensor& grad_output, const Tensor& indices, int64_t num_weights, int64_t padding_idx,
    bool scale_grad_by_freq) {
  TORCH_CHECK(
      indices.scalar_type() == kLong || indices.scalar_type() == kInt,
      "Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, "
      "Int; but got ",
      indices.scalar_type(), " instead (while checking arguments for embedding_backward)");
  const int64_t width = grad_output.size(-1);
  TORCH_CHECK(
      grad_output.numel() == indices.numel() * width, "embedding_backward: gradient ",
      grad_output.sizes(), " does not fit indices ", indices.sizes());
  Tensor grad_weight = at::zeros({num_weights, width}, grad_output.options());
  if (indices.numel() == 0 || width == 0) {
    return grad_weight;
  }
  const Tensor rows = grad_output.contiguous();
  const Tensor positions = at::methods::to(indices, kLong).contiguous();
  const EmbeddingBackwardJob job{
      rows.const_data_ptr(),
      positions.const_data_ptr<int64_t>(),
      grad_weight.mutable_data_ptr(),
      positions.numel(),
      width,
      num_weights,
      padding_idx,
      scale_grad_by_freq};
  if (!embedding_backward_stub(rows.device().type(), rows.scalar_type(), job)) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        !scale_grad_by_freq, "\"embedding_backward\" not implemented for '", rows.scalar_type(),
        "'");
    const Tensor flat = at::reshape(positions, {-1});
    at::methods::index_add_(grad_weight, 0, flat, at::reshape(rows, {-1, width}));
    if (padding_idx >= 0) {
      at::methods::zero_(at::select(grad_weight, 0, padding_idx));
    }
  }
  return grad_weight;
}

Tensor embedding_dense_backward_meta(
    const Tensor& grad_output, const Tensor& /*indices*/, int64_t num_weights,
    int64_t /*padding_idx*/, bool /*scale_grad_by_freq*/) {
  return at::zeros({num_weights, grad_output.size(-1)}, grad_output.options());
}

} // namespace at::native
