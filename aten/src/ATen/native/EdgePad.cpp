#include <ATen/native/PadAxis.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/reflection_pad1d_backward_native.h>
#include <ATen/ops/reflection_pad1d_native.h>
#include <ATen/ops/reflection_pad2d_backward_native.h>
#include <ATen/ops/reflection_pad2d_native.h>
#include <ATen/ops/replication_pad1d_backward_native.h>
#include <ATen/ops/replication_pad1d_native.h>
#include <ATen/ops/replication_pad2d_backward_native.h>
#include <ATen/ops/replication_pad2d_native.h>

// reflection_pad and replication_pad in the forms that PyTorch declares: structured, or with two
// kernels.

namespace at::native {

namespace {

constexpr PadMode kReflect = PadMode::Reflection, kReplicate = PadMode::Replication;

void check_gradient_sizes(
    PadMode mode, const Tensor& grad, const Tensor& self, IntArrayRef padding, int64_t dims) {
  const c10::DimVector expected = padded_sizes(mode, self, padding, dims);
  TORCH_CHECK(
      grad.sizes() == IntArrayRef(expected), "grad_output of unexpected size: expected ",
      IntArrayRef(expected), ", but got ", grad.sizes());
}

Tensor& pad_backward_out(
    PadMode mode, const Tensor& grad, const Tensor& self, IntArrayRef padding, Tensor& grad_in) {
  check_gradient_sizes(mode, grad, self, padding, 2);
  resize_output(grad_in, self.sizes());
  if (!grad_in.is_meta()) {
    pad_backward_into(mode, grad, self, padding, 2, grad_in);
  }
  return grad_in;
}

Tensor pad_backward(PadMode mode, const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  Tensor grad_in = at::empty(self.sizes(), self.options(), self.suggest_memory_format());
  return pad_backward_out(mode, grad, self, padding, grad_in);
}

} // namespace

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(reflection_pad1d)(const Tensor& self, IntArrayRef padding) {
  set_output_raw_strided(
      0, native::padded_sizes(native::kReflect, self, padding, 1), {}, self.options());
}
TORCH_META_FUNC(replication_pad1d)(const Tensor& self, IntArrayRef padding) {
  set_output_raw_strided(
      0, native::padded_sizes(native::kReplicate, self, padding, 1), {}, self.options());
}
TORCH_META_FUNC(replication_pad2d)(const Tensor& self, IntArrayRef padding) {
  set_output_raw_strided(
      0, native::padded_sizes(native::kReplicate, self, padding, 2), {},
      self.options().memory_format(self.suggest_memory_format()));
}
TORCH_META_FUNC(reflection_pad1d_backward)
(const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  native::check_gradient_sizes(native::kReflect, grad, self, padding, 1);
  set_output_raw_strided(0, self.sizes(), {}, grad.options());
}
TORCH_META_FUNC(replication_pad1d_backward)
(const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  native::check_gradient_sizes(native::kReplicate, grad, self, padding, 1);
  set_output_raw_strided(0, self.sizes(), {}, grad.options());
}

} // namespace at::meta

namespace at::native {

TORCH_IMPL_FUNC(reflection_pad1d_out_cpu)
(const Tensor& self, IntArrayRef padding, const Tensor& out) {
  pad_into(kReflect, self, padding, 1, out);
}
TORCH_IMPL_FUNC(replication_pad1d_out_cpu)
(const Tensor& self, IntArrayRef padding, const Tensor& out) {
  pad_into(kReplicate, self, padding, 1, out);
}
TORCH_IMPL_FUNC(replication_pad2d_out_cpu)
(const Tensor& self, IntArrayRef padding, const Tensor& out) {
  pad_into(kReplicate, self, padding, 2, out);
}
TORCH_IMPL_FUNC(reflection_pad1d_backward_out_cpu)
(const Tensor& grad, const Tensor& self, IntArrayRef padding, const Tensor& grad_in) {
  pad_backward_into(kReflect, grad, self, padding, 1, grad_in);
}
TORCH_IMPL_FUNC(replication_pad1d_backward_out_cpu)
(const Tensor& grad, const Tensor& self, IntArrayRef padding, const Tensor& grad_in) {
  pad_backward_into(kReplicate, grad, self, padding, 1, grad_in);
}

Tensor& reflection_pad2d_out_cpu(const Tensor& self, IntArrayRef padding, Tensor& out) {
  const c10::DimVector sizes = padded_sizes(kReflect, self, padding, 2);
  resize_output(out, sizes);
  if (!out.is_meta()) {
    pad_into(kReflect, self, padding, 2, out);
  }
  return out;
}

Tensor reflection_pad2d_cpu(const Tensor& self, IntArrayRef padding) {
  Tensor out = at::empty(
      padded_sizes(kReflect, self, padding, 2), self.options(), self.suggest_memory_format());
  return reflection_pad2d_out_cpu(self, padding, out);
}

Tensor& reflection_pad2d_backward_out_cpu(
    const Tensor& grad, const Tensor& self, IntArrayRef padding, Tensor& grad_in) {
  return pad_backward_out(kReflect, grad, self, padding, grad_in);
}
Tensor reflection_pad2d_backward_cpu(const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  return pad_backward(kReflect, grad, self, padding);
}
Tensor& replication_pad2d_backward_out_cpu(
    const Tensor& grad, const Tensor& self, IntArrayRef padding, Tensor& grad_in) {
  return pad_backward_out(kReplicate, grad, self, padding, grad_in);
}
Tensor replication_pad2d_backward_cpu(const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  return pad_backward(kReplicate, grad, self, padding);
}

} // namespace at::native
