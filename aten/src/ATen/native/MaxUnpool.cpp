// max_unpool2d and max_unpool3d: put each maximum back to the position that its index names.

#include <ATen/core/Tensor.h>

#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/ops/item.h>
#include <ATen/ops/max.h>
#include <ATen/ops/max_unpool2d_native.h>
#include <ATen/ops/max_unpool3d_native.h>
#include <ATen/ops/min.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace at::native {
namespace {

void check_indices(const Tensor& indices, int64_t size, IntArrayRef output_size) {
  for (const Tensor& extreme : {at::min(indices), at::max(indices)}) {
    const auto index = at::methods::item(extreme).to<int64_t>();
    TORCH_CHECK(
        index >= 0 && index < size, "Found an invalid max index: ", index,
        " (output volumes are of size ", output_size, ")");
  }
}

Tensor unpooled(
    const char* op, const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
  at::globalContext().alertNotDeterministic(op);
  const auto dims = static_cast<int64_t>(output_size.size());
  TORCH_CHECK(
      indices.scalar_type() == kLong, op,
      "(): elements in indices should be type int64 but got: ", indices.scalar_type());
  TORCH_CHECK(
      self.dim() == dims + 1 || self.dim() == dims + 2, "Input to ", op, " should be a ", dims + 1,
      "d or ", dims + 2, "d Tensor, but got a tensor with ", self.dim(), " dimensions.");
  TORCH_CHECK(
      self.sizes() == indices.sizes(),
      "Expected shape of indices to be same as that of the input tensor (", self.sizes(),
      ") but got indices tensor with shape: ", indices.sizes());
  for (int64_t d = self.dim() - dims - 1; d < self.dim(); ++d) {
    TORCH_CHECK(
        self.size(d) > 0, op,
        "(): Expected input to have non-zero size for non-batch dimensions, but got ", self.sizes(),
        " with dimension ", d, " being empty.");
  }
  if (!self.is_floating_point()) {
    at::detail::dispatch_unsupported(op, self.scalar_type());
  }
  c10::DimVector sizes(self.sizes());
  std::copy(output_size.begin(), output_size.end(), sizes.end() - dims);
  Tensor result = at::zeros(sizes, self.options());
  if (self.numel() == 0 || self.is_meta()) {
    return result;
  }
  const int64_t planes = c10::multiply_integers(self.sizes().slice(0, self.dim() - dims));
  const int64_t size = result.numel() / planes;
  check_indices(indices, size, output_size);
  const Tensor flat = at::scatter(
      at::reshape(result, {planes, size}), 1, at::reshape(indices, {planes, -1}),
      at::reshape(self, {planes, -1}));
  return at::reshape(flat, sizes).contiguous(self.suggest_memory_format());
}

} // namespace

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
  TORCH_CHECK(
      output_size.size() == 2,
      "There should be exactly two elements (height, width) in output_size, but got ",
      output_size.size(), " elements.");
  return unpooled("max_unpooling2d_forward_out", self, indices, output_size);
}

Tensor max_unpool3d(
    const Tensor& self, const Tensor& indices, IntArrayRef output_size, IntArrayRef stride,
    IntArrayRef padding) {
  TORCH_CHECK(
      output_size.size() == 3,
      "There should be exactly three elements (depth, height, width) in output_size, but got ",
      output_size.size(), " elements.");
  TORCH_CHECK(
      stride.size() == 3 && padding.size() == 3,
      "There should be exactly three elements (depth, height, width) in stride and padding");
  for (const int64_t step : stride) {
    TORCH_CHECK(step > 0, "strides should be greater than zero, but got stride: ", stride);
  }
  return unpooled("max_unpooling3d_forward_out", self, indices, output_size);
}

} // namespace at::native
