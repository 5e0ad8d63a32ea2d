// pixel_shuffle and its relatives: move elements between channels and image positions.

#include <ATen/core/Tensor.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/pixel_shuffle_native.h>
#include <ATen/ops/pixel_unshuffle_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/view.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace at::native {

namespace {

void check_image(const Tensor& self, const char* name, int64_t factor, const char* factor_name) {
  TORCH_CHECK(
      self.dim() >= 3, name, " expects input to have at least 3 dimensions, but got input with ",
      self.dim(), " dimension(s)");
  TORCH_CHECK(factor > 0, name, " expects a positive ", factor_name, ", but got ", factor);
}

// Joins the leading dimensions and the given ones.
DimVector with_leading(const Tensor& self, std::initializer_list<int64_t> rest) {
  DimVector sizes(self.sizes().begin(), self.sizes().end() - 3);
  sizes.append(rest.begin(), rest.end());
  return sizes;
}

// Divides self's last three dimensions into five parts and puts these into `order`: first
// `channel_parts` parts of channels, then those of rows and of columns. The result has the given
// sizes, and self's memory format.
Tensor moved(
    const Tensor& self, IntArrayRef parts, std::vector<int64_t> order, int64_t channel_parts,
    IntArrayRef sizes) {
  const int64_t leading = self.dim() - 3;
  const bool channels_last = self.suggest_memory_format() == MemoryFormat::ChannelsLast;
  if (channels_last) {
    std::rotate(order.begin(), order.begin() + channel_parts, order.end());
  }
  DimVector dims(static_cast<size_t>(leading));
  std::iota(dims.begin(), dims.end(), 0);
  for (const int64_t part : order) {
    dims.push_back(leading + part);
  }
  const Tensor ordered = at::permute(at::reshape(self, parts), dims).contiguous();
  if (!channels_last) {
    return at::methods::view(ordered, sizes);
  }
  const Tensor last = at::methods::view(ordered, {sizes[0], sizes[2], sizes[3], sizes[1]});
  return at::permute(last, {0, 3, 1, 2});
}

} // namespace

// [*, c r^2, h, w] to [*, c, h r, w r].
Tensor pixel_shuffle_cpu(const Tensor& self, int64_t upscale_factor) {
  const int64_t r = upscale_factor;
  check_image(self, "pixel_shuffle", r, "upscale_factor");
  const int64_t channels = self.size(-3), height = self.size(-2), width = self.size(-1);
  TORCH_CHECK(
      channels % (r * r) == 0,
      "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
      "upscale_factor, but input.size(-3)=",
      channels, " is not divisible by ", r * r);
  const int64_t c = channels / (r * r);
  return moved(
      self, with_leading(self, {c, r, r, height, width}), {0, 3, 1, 4, 2}, 1,
      with_leading(self, {c, height * r, width * r}));
}

// [*, c, h r, w r] to [*, c r^2, h, w].
Tensor pixel_unshuffle_cpu(const Tensor& self, int64_t downscale_factor) {
  const int64_t r = downscale_factor;
  check_image(self, "pixel_unshuffle", r, "downscale_factor");
  const int64_t c = self.size(-3), height = self.size(-2), width = self.size(-1);
  TORCH_CHECK(
      height % r == 0,
      "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=",
      height, " is not divisible by ", r);
  TORCH_CHECK(
      width % r == 0,
      "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)=",
      width, " is not divisible by ", r);
  if (self.numel() == 0) return at::clone(self); // with the sizes of the argument, as in PyTorch
  return moved(
      self, with_leading(self, {c, height / r, r, width / r, r}), {0, 2, 4, 1, 3}, 3,
      with_leading(self, {c * r * r, height / r, width / r}));
}

} // namespace at::native
