// reflection_pad3d and replication_pad3d: the depth by an index, each plane by the kernels of two
// dimensions.

#include <ATen/native/PadAxis.h>

#include <ATen/Dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/reflection_pad2d_backward.h>
#include <ATen/ops/reflection_pad3d_backward_native.h>
#include <ATen/ops/reflection_pad3d_native.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/replication_pad2d_backward.h>
#include <ATen/ops/replication_pad3d_backward_native.h>
#include <ATen/ops/replication_pad3d_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace at::native {
namespace {

// The input's depth for every depth of the output, on the device of `self`.
Tensor depth_index(PadMode mode, const Tensor& self, IntArrayRef padding) {
  const AxisMap map = padded_axis(mode, self, padding, 2);
  Tensor index = at::empty({map.size()}, TensorOptions().dtype(kLong));
  std::copy(map.first.begin(), map.first.end(), index.mutable_data_ptr<int64_t>());
  return at::methods::to(index, self.options().dtype(kLong));
}

c10::DimVector flat_sizes(IntArrayRef sizes) {
  const size_t n = sizes.size();
  return {c10::multiply_integers(sizes.slice(0, n - 2)), sizes[n - 2], sizes[n - 1]};
}

Tensor padded(PadMode mode, const Tensor& self, IntArrayRef padding) {
  c10::DimVector sizes = padded_sizes(mode, self, padding, 3);
  const MemoryFormat format = self.suggest_memory_format();
  if (self.is_meta() || self.numel() == 0) {
    return at::empty(sizes, self.options(), format);
  }
  if (self.scalar_type() == kBool) {
    at::detail::dispatch_unsupported("reflection_pad3d", kBool);
  }
  const Tensor planes = at::reshape(self, flat_sizes(self.sizes()));
  const IntArrayRef flat = padding.slice(0, 4);
  const Tensor wide = mode == PadMode::Reflection ? at::reflection_pad2d(planes, flat)
                                                  : at::replication_pad2d(planes, flat);
  const Tensor index = depth_index(mode, self, padding);
  sizes[sizes.size() - 3] = self.size(-3);
  const Tensor result = at::index_select(at::reshape(wide, sizes), -3, index);
  return at::methods::to(result, self.scalar_type()).contiguous(format); // autocast widens planes
}

Tensor padded_backward(PadMode mode, const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  c10::DimVector sizes = padded_sizes(mode, self, padding, 3);
  TORCH_CHECK(
      grad.sizes() == IntArrayRef(sizes), "grad_output of unexpected size: expected ",
      IntArrayRef(sizes), ", but got ", grad.sizes());
  const MemoryFormat format = self.suggest_memory_format();
  if (self.is_meta() || self.numel() == 0) {
    return at::empty(self.sizes(), self.options(), format);
  }
  sizes[sizes.size() - 3] = self.size(-3);
  const Tensor wide =
      at::index_add(at::zeros(sizes, grad.options()), -3, depth_index(mode, self, padding), grad);
  const Tensor planes = at::reshape(wide, flat_sizes(sizes));
  const Tensor like = at::empty(flat_sizes(self.sizes()), self.options());
  const IntArrayRef flat = padding.slice(0, 4);
  const Tensor result = mode == PadMode::Reflection
      ? at::reflection_pad2d_backward(planes, like, flat)
      : at::replication_pad2d_backward(planes, like, flat);
  return at::reshape(result, self.sizes()).contiguous(format);
}

} // namespace

Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding) {
  return padded(PadMode::Reflection, self, padding);
}
Tensor reflection_pad3d_backward(const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  return padded_backward(PadMode::Reflection, grad, self, padding);
}
Tensor replication_pad3d(const Tensor& self, IntArrayRef padding) {
  return padded(PadMode::Replication, self, padding);
}
Tensor replication_pad3d_backward(const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  return padded_backward(PadMode::Replication, grad, self, padding);
}

} // namespace at::native
