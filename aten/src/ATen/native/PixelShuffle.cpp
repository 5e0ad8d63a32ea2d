// pixel_shuffle and its relatives: move elements between channels and image positions.

#include <ATen/core/Tensor.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/pixel_shuffle_native.h>
#include <ATen/ops/pixel_unshuffle_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/view.h>

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

// Keeps the order of the leading dimensions and permutes the five after them.
DimVector order(int64_t leading, std::initializer_list<int64_t> rest) {
  DimVector dims;
  for (int64_t i = 0; i < leading; ++i) {
    dims.push_back(i);
  }
  for (const int64_t dim : rest) {
    dims.push_back(leading + dim);
  }
  return dims;
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
  return at::methods::view(
      at::permute(
          at::reshape(self, with_leading(self, {c, r, r, height, width})),
          order(self.dim() - 3, {0, 3, 1, 4, 2}))
          .contiguous(),
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
  return at::methods::view(
      at::permute(
          at::reshape(self, with_leading(self, {c, height / r, r, width / r, r})),
          order(self.dim() - 3, {0, 2, 4, 1, 3}))
          .contiguous(),
      with_leading(self, {c * r * r, height / r, width / r}));
}

} // namespace at::native
