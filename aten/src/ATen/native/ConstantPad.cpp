#include <ATen/core/Tensor.h>

#include <ATen/ops/clone.h>
#include <ATen/ops/constant_pad_nd_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/narrow.h>

#include <algorithm>

namespace at::native {

// `pad` holds pairs (before, after), starting with the last dimension; negative values crop.
Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value) {
  TORCH_CHECK(pad.size() % 2 == 0, "Length of pad must be even but instead it equals ", pad.size());
  const auto padded = static_cast<int64_t>(pad.size() / 2);
  TORCH_CHECK(
      padded <= self.dim(),
      "Length of pad should be no more than twice the number of dimensions "
      "of the input. Pad length is ",
      pad.size(), " while the input has ", self.dim(), " dimensions.");
  c10::DimVector sizes(self.sizes());
  Tensor source = self;
  for (int64_t i = 0; i < padded; ++i) {
    const int64_t dim = self.dim() - 1 - i;
    const int64_t before = pad[static_cast<size_t>(2 * i)];
    const int64_t after = pad[static_cast<size_t>(2 * i + 1)];
    int64_t& size = sizes[static_cast<size_t>(dim)];
    TORCH_CHECK(
        size + before + after >= 0, "The input size ", size, ", plus negative padding ", before,
        " and ", after, " resulted in a negative output size, which is invalid. Check dimension ",
        dim, " of your input.");
    const int64_t cut_before = std::min(size, std::max<int64_t>(0, -before));
    const int64_t cut_after = std::min(size - cut_before, std::max<int64_t>(0, -after));
    source = at::narrow(source, dim, cut_before, size - cut_before - cut_after);
    size += before + after;
  }
  if (std::all_of(pad.begin(), pad.end(), [](int64_t size) { return size <= 0; })) {
    return at::clone(source);
  }
  Tensor result = at::empty(sizes, self.options(), self.suggest_memory_format());
  if (result.is_meta()) {
    return result;
  }
  if (source.numel() != result.numel()) {
    at::methods::fill_(result, value);
  }
  Tensor inside = result;
  for (int64_t i = 0; i < padded; ++i) {
    const int64_t dim = self.dim() - 1 - i;
    const int64_t before = std::max<int64_t>(0, pad[static_cast<size_t>(2 * i)]);
    inside = at::narrow(
        inside, dim, std::min(before, inside.size(dim)),
        std::min(source.size(dim), inside.size(dim)));
  }
  at::methods::copy_(inside, source);
  return result;
}

} // namespace at::native
