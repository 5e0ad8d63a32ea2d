// Gradients of pooling and padding that are not operators themselves.

#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/reshape.h>

#include <algorithm>

namespace torch::autograd::generated::details {

// The gradient of a maximum is scattered to the position that its index names; the gradient of that
// is a gather.
Tensor max_pool_double_backward(const Tensor& grad, const Tensor& indices, int64_t dims) {
  if (!grad.defined()) {
    return {};
  }
  if (indices.numel() == 0) {
    return at::methods::new_zeros(grad, indices.sizes());
  }
  return at::reshape(
      at::gather(at::flatten(grad, -dims), -1, at::flatten(indices, -dims)), indices.sizes());
}

Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad) {
  if (!grad.defined()) {
    return {};
  }
  c10::DimVector cut(pad);
  std::transform(cut.begin(), cut.end(), cut.begin(), std::negate<>());
  return at::constant_pad_nd(grad, cut, 0);
}

} // namespace torch::autograd::generated::details
