#include <ATen/native/Pool.h>
#include <ATen/ops/adaptive_max_pool2d_backward_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/max_pool2d_with_indices_backward_native.h>

// Adds each output's gradient to the input element at its index.

namespace at::native {

DEFINE_DISPATCH(max_pool2d_backward_stub);

namespace {

void check_pooled(const char* name, const Tensor& grad, const Tensor& indices, const Tensor& self) {
  TORCH_CHECK(
      grad.scalar_type() == self.scalar_type(), "expected dtype ", self.scalar_type(),
      " for `gradOutput` but got dtype ", grad.scalar_type());
  TORCH_CHECK(
      indices.scalar_type() == kLong, name, ": expected indices of dtype int64, but got ",
      indices.scalar_type());
  TORCH_CHECK(
      grad.sizes() == indices.sizes(), name,
      ": expected sizes of grad_output and indices to be "
      "the same, but got ",
      grad.sizes(), " and ", indices.sizes());
  TORCH_CHECK(
      grad.dim() == self.dim(), name, ": expected grad_output with ", self.dim(),
      " dimensions, but got size ", grad.sizes());
  for (int64_t d = 0; d < self.dim() - 2; ++d) {
    TORCH_CHECK(
        grad.size(d) == self.size(d), name, ": expected grad_output of size ", self.size(d),
        " at dimension ", d, ", but got ", grad.size(d));
  }
}

void scatter_grad(
    const Tensor& grad_output, const Tensor& self, const Tensor& indices,
    const Tensor& grad_input) {
  if (grad_input.numel() == 0) {
    return;
  }
  const bool channels_last = pools_channels_last(self);
  const MemoryFormat format = channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
  const Tensor grad = grad_output.contiguous(format), from = indices.contiguous(format);
  const bool direct = grad_input.is_contiguous(format);
  const Tensor result = direct ? grad_input : grad_input.contiguous(format);
  const int64_t channels = self.size(-3);
  const int64_t batch = self.dim() == 4 ? self.size(0) : 1;
  max_pool2d_backward_stub(
      self.device().type(), self.scalar_type(),
      PoolBackward{
          batch, channels, self.size(-2) * self.size(-1), grad.size(-2) * grad.size(-1),
          channels_last},
      grad.const_data_ptr(), from.const_data_ptr<int64_t>(), result.mutable_data_ptr());
  if (!direct) {
    at::methods::copy_(grad_input, result);
  }
}

} // namespace

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(max_pool2d_with_indices_backward)
(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
 IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, const Tensor& indices) {
  native::pool2d_shape("max_pool2d", self, kernel_size, stride, padding, dilation, ceil_mode);
  native::check_pooled("max_pool2d_with_indices_backward", grad_output, indices, self);
  set_output_strided(0, self.sizes(), native::pooled_strides(self, self.sizes()), self.options());
}

TORCH_META_FUNC(adaptive_max_pool2d_backward)
(const Tensor& grad_output, const Tensor& self, const Tensor& indices) {
  const int64_t dims = grad_output.dim();
  TORCH_CHECK(
      dims == 3 || dims == 4,
      "adaptive_max_pooling2d_backward(): Expected 3D or 4D grad_output, but got: ",
      grad_output.sizes());
  native::check_adaptive_grad("adaptive_max_pool2d_backward", grad_output);
  native::check_pooled("adaptive_max_pool2d_backward", grad_output, indices, self);
  set_output_strided(0, self.sizes(), native::pooled_strides(self, self.sizes()), self.options());
}

} // namespace at::meta

namespace at::native {

TORCH_IMPL_FUNC(max_pool2d_with_indices_backward_out_cpu)
(const Tensor& grad_output, const Tensor& self, IntArrayRef, IntArrayRef, IntArrayRef, IntArrayRef,
 bool, const Tensor& indices, const Tensor& grad_input) {
  scatter_grad(grad_output, self, indices, grad_input);
}

TORCH_IMPL_FUNC(adaptive_max_pool2d_backward_out_cpu)
(const Tensor& grad_output, const Tensor& self, const Tensor& indices, const Tensor& grad_input) {
  scatter_grad(grad_output, self, indices, grad_input);
}

} // namespace at::native
