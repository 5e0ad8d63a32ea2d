// im2col and col2im (unfold and fold of torch.nn.functional): sliding blocks of images as columns.

#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/ops/add.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/col2im_native.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/im2col_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

#include <array>

namespace at::native {
namespace {

using Pair = std::array<int64_t, 2>;

struct Blocks {
  Pair kernel, dilation, padding, stride, image, count;
};

Pair pair_of(const char* name, IntArrayRef values) {
  TORCH_CHECK(
      values.size() == 2, "It is expected ", name, " equals to 2, but got size ", values.size());
  return {values[0], values[1]};
}

std::string text_of(const Pair& pair) {
  return c10::str("(", pair[0], ", ", pair[1], ")");
}

Blocks blocks_of(
    Pair image, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  Blocks b{
      pair_of("kernel_size", kernel),
      pair_of("dilation", dilation),
      pair_of("padding", padding),
      pair_of("stride", stride),
      image,
      {}};
  for (size_t d = 0; d < 2; ++d) {
    TORCH_CHECK(
        b.kernel[d] > 0, "kernel size should be greater than zero, but got kernel_size ", kernel);
    TORCH_CHECK(
        b.dilation[d] > 0, "dilation should be greater than zero, but got dilation ", dilation);
    TORCH_CHECK(b.padding[d] >= 0, "padding should be non-negative, but got padding ", padding);
    TORCH_CHECK(b.stride[d] > 0, "stride should be greater than zero, but got stride ", stride);
    const int64_t room = image[d] + 2 * b.padding[d] - b.dilation[d] * (b.kernel[d] - 1) - 1;
    b.count[d] = room < 0 ? 0 : room / b.stride[d] + 1;
  }
  TORCH_CHECK(
      b.count[0] > 0 && b.count[1] > 0, "Given input with spatial size (", image[0], ", ", image[1],
      "), kernel_size=", kernel, ", dilation=", dilation, ", padding=", padding,
      ", calculated shape of the array of sliding blocks as (", b.count[0], ", ", b.count[1],
      "), but its components must be at least one.");
  return b;
}

void check_dtype(const char* name, const Tensor& tensor) {
  if (c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/false)) {
    at::detail::dispatch_unsupported(name, tensor.scalar_type());
  }
}

} // namespace

Tensor im2col(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
    IntArrayRef stride) {
  const bool batched = self.dim() == 4;
  TORCH_CHECK(
      (self.dim() == 3 || batched) && self.size(-1) > 0 && self.size(-2) > 0 && self.size(-3) > 0,
      "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
      "dimensions for input, but got: ",
      self.sizes());
  check_dtype("im2col_out_cpu", self);
  const Blocks b =
      blocks_of({self.size(-2), self.size(-1)}, kernel_size, dilation, padding, stride);
  const Tensor images = batched ? self : at::unsqueeze(self, 0);
  const int64_t batch = images.size(0), channels = images.size(1);
  const Tensor padded = b.padding[0] + b.padding[1] == 0
      ? images
      : at::constant_pad_nd(images, {b.padding[1], b.padding[1], b.padding[0], b.padding[0]}, 0);
  const IntArrayRef s = padded.strides();
  const Tensor blocks = at::as_strided(
      padded, {batch, channels, b.kernel[0], b.kernel[1], b.count[0], b.count[1]},
      {s[0], s[1], s[2] * b.dilation[0], s[3] * b.dilation[1], s[2] * b.stride[0],
       s[3] * b.stride[1]},
      padded.storage_offset());
  const Tensor columns =
      at::reshape(blocks, {batch, channels * b.kernel[0] * b.kernel[1], b.count[0] * b.count[1]});
  const Tensor result = columns.contiguous();
  return batched ? result : at::squeeze(result, 0);
}

Tensor col2im(
    const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size, IntArrayRef dilation,
    IntArrayRef padding, IntArrayRef stride) {
  const Pair image = pair_of("output_size", output_size);
  TORCH_CHECK(
      image[0] >= 1 && image[1] >= 1, "Expected output spatial size to be positive, but got ",
      output_size);
  const bool batched = self.dim() == 3;
  TORCH_CHECK(
      (self.dim() == 2 || batched) && self.size(-1) > 0 && self.size(-2) > 0,
      "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
      "dimensions for input, but got: ",
      self.sizes());
  const Blocks b = blocks_of(image, kernel_size, dilation, padding, stride);
  const int64_t taps = b.kernel[0] * b.kernel[1];
  TORCH_CHECK(
      self.size(-2) % taps == 0,
      "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
      "input.size(1)=",
      self.size(-2), " and kernel_size=", text_of(b.kernel), ".");
  TORCH_CHECK(
      self.size(-1) == b.count[0] * b.count[1], "Given output_size=", text_of(image),
      ", kernel_size=", text_of(b.kernel), ", dilation=", text_of(b.dilation),
      ", padding=", text_of(b.padding), ", stride=", text_of(b.stride),
      ", expected size of input's dimension 2 to match the calculated number "
      "of sliding blocks ",
      b.count[0], " * ", b.count[1], " = ", b.count[0] * b.count[1],
      ", but got input.size(2)=", self.size(-1), ".");
  check_dtype("col2im_out_cpu", self);
  const int64_t batch = batched ? self.size(0) : 1, channels = self.size(-2) / taps;
  const Tensor blocks =
      at::reshape(self, {batch, channels, b.kernel[0], b.kernel[1], b.count[0], b.count[1]});
  const Tensor padded = at::zeros(
      {batch, channels, image[0] + 2 * b.padding[0], image[1] + 2 * b.padding[1]}, self.options());
  // Each place in the kernel adds to distinct elements of the image.
  for (int64_t i = 0; i < b.kernel[0]; ++i) {
    for (int64_t j = 0; j < b.kernel[1]; ++j) {
      const int64_t top = i * b.dilation[0], left = j * b.dilation[1];
      const Tensor rows =
          at::slice(padded, 2, top, top + (b.count[0] - 1) * b.stride[0] + 1, b.stride[0]);
      const Tensor covered =
          at::slice(rows, 3, left, left + (b.count[1] - 1) * b.stride[1] + 1, b.stride[1]);
      at::methods::add_(covered, at::select(at::select(blocks, 2, i), 2, j));
    }
  }
  const Tensor inside =
      at::narrow(at::narrow(padded, 2, b.padding[0], image[0]), 3, b.padding[1], image[1]);
  const Tensor result = inside.contiguous();
  return batched ? result : at::squeeze(result, 0);
}

} // namespace at::native
